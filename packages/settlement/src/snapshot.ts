import { type Commitment, decodeCommitment, type Snapshot } from '@affine/chain'
import type { DuelSnapshot, Protocol, Seals } from '@affine/duel'

/** What a hotkey has committed, and the block that holds it. */
type Committed = Commitment & { readonly block: number }

/** What every hotkey has committed. Whatever does not decode counts as nothing. Protocol §5.3. */
export function commitmentsOf({ commitments }: Snapshot): ReadonlyMap<string, Committed> {
  const decoded = new Map<string, Committed>()
  for (const { hotkey, block, fields } of commitments) {
    const commitment = decodeCommitment(fields, hotkey)
    if (commitment !== null) decoded.set(hotkey, { ...commitment, block })
  }
  return decoded
}

/** The chain as `decide` reads it, at the last block before `epoch`. Protocol §5.1. */
export function duelSnapshot(chain: Snapshot, epoch: number, protocol: Protocol): DuelSnapshot {
  const commitments = commitmentsOf(chain)
  const neurons = chain.neurons.map((neuron) => ({
    ...neuron,
    said: commitments.get(neuron.hotkey),
  }))
  return {
    epoch,
    protocol,
    hotkeys: neurons.map(({ hotkey }) => hotkey),
    validators: neurons
      .filter(({ permit }) => permit)
      .map(({ hotkey, stake, said }) => ({
        hotkey,
        stake,
        ...(said?.kind === 'attest' && { attest: said }),
      })),
    miners: neurons.flatMap(({ hotkey, registered, said }) =>
      said?.kind === 'miner' ? [{ ...said, hotkey, registered }] : [],
    ),
  }
}

/** Every head on chain that is marked with `epoch`, by its hotkey, due or not. Protocol §5.2. */
export function sealsOf(chain: Snapshot, epoch: number): Seals {
  const seals: Record<string, string> = {}
  for (const [hotkey, said] of commitmentsOf(chain)) {
    if (said.kind === 'seal' && said.epoch === epoch) seals[hotkey] = said.head
  }
  return seals
}
