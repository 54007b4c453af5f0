import { own } from '@affine/prng'
import { PPM } from '@affine/wilson'
import { compare } from './ascending.ts'
import type { Protocol } from './protocol.ts'
import type {
  CountedAttestations,
  DuelSnapshot,
  LastAttested,
  State,
  Trust,
  Weights,
} from './state.ts'

/**
 * Returns the weights of an epoch's voters, in ppm of the heaviest. A weight is stake × trust of an
 * active validator, present or absent. Voters are the heaviest `validatorsMost`, except validators
 * whose weight rounds to 0. Protocol §8.1.
 */
export function weighVoters(
  stakes: ReadonlyMap<string, bigint>,
  trust: State['trust'],
  { validatorsMost }: Protocol,
): Weights {
  const pulls = [...stakes]
    .map(([hotkey, stake]) => ({ hotkey, pull: stake * BigInt(computeTrust(own(trust, hotkey))) }))
    .sort((a, b) => compare(b.pull, a.pull) || compare(a.hotkey, b.hotkey))
    .slice(0, validatorsMost)
  const greatest = pulls[0]?.pull ?? 0n
  if (greatest === 0n) return {}
  const weights = pulls.map(
    ({ hotkey, pull }) => [hotkey, Number((PPM * pull) / greatest)] as const,
  )
  return Object.fromEntries(weights.filter(([, weight]) => weight > 0))
}

/** Returns the commitments to secrets of voters whose attestations count. Protocol §8.1. */
export function findDueVoters(voters: Weights, attestations: CountedAttestations): State['due'] {
  const due = [...attestations].filter(([hotkey]) => Object.hasOwn(voters, hotkey))
  return Object.fromEntries(due.map(([hotkey, { next }]) => [hotkey, next]))
}

/** Returns the total weight of some voters. Default: all. */
export function sumWeight(
  weights: Weights,
  voters: readonly string[] = Object.keys(weights),
): number {
  return voters.reduce((sum, voter) => sum + (own(weights, voter) ?? 0), 0)
}

type ActiveValidators = Readonly<Record<string, LastAttested>>

/**
 * Returns the active validators before this snapshot's attestations: registered validators with an
 * attestation in the last `quorumEpochs` epochs. When a network's first epoch is decided, all
 * validators with a permit and stake are active, except those with a miner's commitment. Protocol
 * §8.1.
 */
export function findActive(
  state: Pick<State, 'attested' | 'epoch'>,
  { protocol, hotkeys, validators, miners }: DuelSnapshot,
): ActiveValidators {
  const { epoch } = state
  const registered = new Set(hotkeys)
  const mining = new Set(miners.map(({ hotkey }) => hotkey))
  const permitted = validators.filter(({ hotkey }) => !mining.has(hotkey))
  const known = Object.entries(state.attested ?? toAttested(permitted, epoch))
  const isActive = ([hotkey, last]: (typeof known)[number]) =>
    registered.has(hotkey) && epoch - last.epoch < protocol.quorumEpochs
  return Object.fromEntries(known.filter(isActive))
}

/**
 * Returns the active validators after the attestations that count in this snapshot. Protocol §8.1.
 */
export function updateActive(
  active: ActiveValidators,
  attestations: CountedAttestations,
  { epoch, validators }: DuelSnapshot,
): ActiveValidators {
  const attesting = validators.filter(({ hotkey }) => attestations.has(hotkey))
  return { ...active, ...toAttested(attesting, epoch - 1) }
}

function toAttested(validators: DuelSnapshot['validators'], epoch: number): ActiveValidators {
  const staked = validators.filter(({ stake }) => stake > 0n)
  return Object.fromEntries(
    staked.map(({ hotkey, stake }) => [hotkey, { epoch, stake: String(stake) }]),
  )
}

/**
 * Returns the stakes with which validators with a permit can vote: the smaller of the earlier stake
 * in `before` and the stake now. Stake borrowed for one block adds nothing. Protocol §8.1, §9.4.
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

const NEWCOMER: Trust = { correct: 0, incorrect: 0 }

/**
 * Returns trust in ppm: the mean of Beta(1 + correct, 1 + incorrect), one half without a record.
 * Protocol §8.9.
 */
export function computeTrust({ correct, incorrect }: Trust = NEWCOMER): number {
  const good = PPM + BigInt(correct)
  return Number((PPM * good) / (good + PPM + BigInt(incorrect)))
}

/**
 * Returns the record after an epoch: the old record fades, then the numbers of environments in
 * `counted` are added. Protocol §8.9.
 */
export function updateRecord(
  record: Trust | undefined = NEWCOMER,
  counted: Trust,
  { trustFadePpm }: Protocol,
): Trust {
  const fade = (count: number): number => Number((BigInt(count) * BigInt(trustFadePpm)) / PPM)
  return {
    correct: counted.correct * 1_000_000 + fade(record.correct),
    incorrect: counted.incorrect * 1_000_000 + fade(record.incorrect),
  }
}
