import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { VerifyOptions } from './verify.ts'

/** Reads the hash of a block. */
export function blockHash(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text
  throw new InvalidArgumentError('Expected 64 hex digits.')
}

/** Reads the name of a sample. */
export function sampleName(text: string): string {
  if (/^[^#]+#\d+$/.test(text)) return text
  throw new InvalidArgumentError('Expected an environment and an index, as mult8#0.')
}

/** @throws RangeError when the options contradict each other, or one has no effect. */
export function checkAsked(asked: VerifyOptions): void {
  const { epoch, fromEpoch = 0, toEpoch = Number.POSITIVE_INFINITY } = asked
  if (fromEpoch > toEpoch)
    throw new RangeError(`"to-epoch" expected at least ${fromEpoch}, got ${toEpoch}`)
  if (epoch !== undefined && (epoch < fromEpoch || epoch > toEpoch))
    throw new RangeError(`"epoch" expected one of the epochs to recompute, got ${epoch}`)
  const { validator, block, challenge, sample, samples } = asked
  if (validator !== undefined && (block ?? challenge ?? sample ?? samples) === undefined)
    throw new RangeError('"validator" expected "block", "challenge", "sample" or "samples" with it')
}
