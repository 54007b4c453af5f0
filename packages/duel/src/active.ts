import { own } from './own-keys.ts'
import type { CountedAttestations, DuelSnapshot } from './snapshot.ts'
import type { LastAttested, State } from './state.ts'

type ActiveValidators = Readonly<Record<string, LastAttested>>

/**
 * The active validators before this snapshot's attestations: those that attested in one of the last
 * `quorumEpochs` epochs. In a network's first epoch nobody could have, so that all with a permit
 * are, but for those whose slot holds a miner's commitment: they cannot attest. Protocol §8.1.
 */
export function activeBefore(
  state: Pick<State, 'attested' | 'epoch' | 'protocol'>,
  snapshot: DuelSnapshot,
): ActiveValidators {
  const { epoch, protocol } = state
  const registered = new Set(snapshot.hotkeys)
  const known = Object.entries(state.attested ?? permittedIn(state, snapshot))
  const isActive = ([hotkey, last]: (typeof known)[number]) =>
    registered.has(hotkey) && epoch - last.epoch < protocol.quorumEpochs
  return Object.fromEntries(known.filter(isActive))
}

function permittedIn(
  { epoch }: Pick<State, 'epoch'>,
  { validators, miners }: DuelSnapshot,
): ActiveValidators {
  const mining = new Set(miners.map(({ hotkey }) => hotkey))
  return lastOf(
    validators.filter(({ hotkey }) => !mining.has(hotkey)),
    epoch,
  )
}

/** The active validators, with the attestations that count in this snapshot. Protocol §9.4. */
export function activeAfter(
  active: ActiveValidators,
  heard: CountedAttestations,
  { epoch, validators }: DuelSnapshot,
): ActiveValidators {
  const attesting = validators.filter(({ hotkey }) => heard.has(hotkey))
  return { ...active, ...lastOf(attesting, epoch - 1) }
}

function lastOf(validators: DuelSnapshot['validators'], epoch: number): ActiveValidators {
  const staked = validators.filter(({ stake }) => stake > 0n)
  return Object.fromEntries(
    staked.map(({ hotkey, stake }) => [hotkey, { epoch, stake: String(stake) }]),
  )
}

/**
 * The stakes that validators with a permit can vote with: the lesser of that then, in a duel at
 * their last attestation, and of that now, so that stake borrowed for a block adds nothing.
 * Protocol §8.1.
 */
export function votingStakes(
  before: Readonly<Record<string, { readonly stake: bigint | string }>>,
  { validators }: DuelSnapshot,
): ReadonlyMap<string, bigint> {
  const stakes = new Map<string, bigint>()
  for (const { hotkey, stake } of validators) {
    const then = BigInt(own(before, hotkey)?.stake ?? 0)
    const voting = stake < then ? stake : then
    if (voting > 0n) stakes.set(hotkey, voting)
  }
  return stakes
}
