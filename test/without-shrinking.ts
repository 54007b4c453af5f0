import fc from 'fast-check'

// A mutant is killed by the first input that fails: the smallest one tells nothing more.
fc.configureGlobal({ endOnFailure: true })
