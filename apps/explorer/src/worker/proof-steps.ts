import type { ProofStep } from '@affine/blocks'

/** One step of a proof. */
export interface Step {
  readonly title: string
  /** The conclusion if the step is valid. */
  readonly sentence: string
  /** Input and result by name. */
  readonly values: ProofStep['values']
  readonly holds: boolean
}

export const explainSteps = (steps: readonly ProofStep[]): readonly Step[] =>
  steps.map(({ code, fault, values }) => ({
    ...SENTENCES[code],
    holds: fault === null,
    values: { ...values, ...(fault && { problem: fault.detail }) },
  }))

/** Sentences of the steps of Protocol §6.6. */
const SENTENCES: Readonly<Record<ProofStep['code'], Pick<Step, 'title' | 'sentence'>>> = {
  form: {
    title: 'Proof → its form',
    sentence: 'The proof and the header of the block have all members, each within its limits.',
  },
  scope: {
    title: 'Header → chain, subnet, validator, epoch',
    sentence: 'The block belongs to the lane of this validator in this epoch.',
  },
  headers: {
    title: 'Header → block hash',
    sentence: 'Each block has the hash of the one before it, up to the last of the lane, its head.',
  },
  head: {
    title: 'Head → seal on chain',
    sentence: 'This head was sealed in time: the lane can no longer change.',
  },
  signature: {
    title: 'Signature',
    sentence: 'The validator signed the block.',
  },
  inclusion: {
    title: 'Line → Merkle root',
    sentence: "The line is one of the lines under the root in the block's header.",
  },
  sample: {
    title: 'Line → sample',
    sentence: 'The line has the members of a sample, each within its limits.',
  },
}
