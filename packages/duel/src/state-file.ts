import { canonicalize, own, parseCanonical, type Result } from '@affine/prng'
import { anyText, hex, int, list, map, oneOf, record, type Shape, text } from '@affine/prng/shape'
import { computeQuota, type EnvConstants } from './env-constants.ts'
import { tabulate } from './own-keys.ts'
import { PROTOCOL, type Protocol } from './protocol.ts'
import type { Duel, EpochTallies, LastAttested, LastPlayed, Miner, State, Trust } from './state.ts'
import { isWithinQuota, type LaneTally } from './tally.ts'

/** Returns the canonical JSON of `v1/states/<epoch>.json`. */
export const encodeState = (state: State): string => canonicalize(state)

/**
 * Parses a state. Accepts only a text that `encodeState` could have written. Never throws. Does not
 * verify the state's root.
 */
export function parseState(text: string): Result<State, 'BAD_STATE'> {
  const parsed = parseCanonical(text)
  if (!parsed.ok) return { ...parsed, code: 'BAD_STATE' }
  const value = parsed.value as unknown as State
  const wrong = STATE(value) ?? findConflict(value)
  if (wrong !== undefined) return { ok: false, code: 'BAD_STATE', detail: `state${wrong}` }
  return { ok: true, value }
}

/** Returns the first contradiction between valid fields, or undefined. */
function findConflict({ protocol, epoch, champion, duels }: State): string | undefined {
  if (protocol.minTrials > protocol.cap) return '/protocol/minTrials: more than the cap'
  if (duels.length > 0 && !champion) return '/duels: without a champion'
  const playing = [champion, ...duels.map(({ contender }) => contender)]
  if (new Set(playing.map((miner) => miner?.hotkey)).size < playing.length)
    return '/duels: a hotkey occurs twice'
  for (const [i, { start, tallies }] of duels.entries()) {
    if (start > epoch) return `/duels/${i}/start: after the epoch`
    if (tallies.length !== Math.min(epoch - start, protocol.duelEpochs))
      return `/duels/${i}/tallies: not one for each epoch`
    const wrong = tallies.findIndex((epoch, k) => !isPossible(epoch, k + 1, protocol))
    if (wrong !== -1) return `/duels/${i}/tallies/${wrong}: not within the quotas`
  }
  return undefined
}

/** Reports whether lanes can have these tallies in epoch `epochIndex` of a duel. */
function isPossible(seen: EpochTallies, epochIndex: number, { envs }: Protocol): boolean {
  return Object.entries(seen).every(([env, lanes]) => {
    const constants = own(envs, env)
    const fits = (tally: LaneTally): boolean =>
      constants !== undefined && isWithinQuota(tally, computeQuota(epochIndex, constants))
    return Object.values(lanes).every(fits)
  })
}

/** 10^12 is above any count, and so far below 2^53 that sums stay exact. */
const whole = (min = 0, max = 10 ** 12): Shape<number> => int(min, max)
const hash = hex(32)
const ratio = whole(1, 999_999)
const share = whole(0, 1_000_000)
const name = anyText()
const miner = record<Miner>({ hotkey: name, model: name, revision: name, chute: name })
const stake = text('a whole number of up to 39 digits, above 0', /^[1-9][0-9]{0,38}$/)
const counts = list(whole(), 4)
const tally: Shape<LaneTally> = (value) =>
  counts(value) ?? (Object(value).length === 4 ? undefined : ': expected four counts')
const envConstants = record<EnvConstants>({
  specHash: hash,
  players: whole(1, 2),
  quotaFirst: whole(1),
  quotaMost: whole(1),
})
const duel = record<Duel>({
  contender: miner,
  start: whole(),
  tallies: list(map(map(tally))),
  verdicts: map(oneOf('win', 'hold', 'even')),
})

const constants = tabulate(Object.keys(PROTOCOL), () => whole(1))
const protocol = record<Protocol>({
  ...(constants as Record<keyof Protocol, Shape<number>>),
  envs: map(envConstants),
  templates: hash,
  cap: whole(1, 10_000_000),
  trustFadePpm: share,
  ratioFloorPpm: ratio,
  ratioCeilingPpm: ratio,
  ratioDecayPpm: share,
})
const lastPlayed = record<LastPlayed>({ content: hash, left: whole() }, ['left'])

const STATE = record<State>(
  {
    protocol,
    epoch: whole(),
    ratio,
    champion: miner,
    record: map(share),
    lastPlayed: map(lastPlayed),
    attested: map(record<LastAttested>({ epoch: whole(), stake })),
    voters: map(whole(1, 1_000_000)),
    trust: map(record<Trust>({ correct: whole(), incorrect: whole() })),
    heads: map(hash),
    due: map(hash),
    duels: list(duel),
  },
  ['champion', 'attested'],
)
