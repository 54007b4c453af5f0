import { canonicalize, parseCanonical, type Result } from '@affine/prng'
import { anyText, hex, int, list, map, oneOf, record, type Shape, text } from '@affine/prng/shape'
import type { EnvConstants } from './env-constants.ts'
import { tabulate } from './own-keys.ts'
import { PROTOCOL, type Protocol } from './protocol.ts'
import {
  contentOf,
  type Duel,
  duelId,
  FROZEN_MOST,
  type LastAttested,
  type Miner,
  type State,
  type Trust,
  type Turns,
} from './state.ts'
import type { Tally } from './tally.ts'

/** Canonical JSON, as `v1/states/<epoch>.json` holds it and `parseState` reads it. */
export const encodeState = (state: State): string => canonicalize(state)

/**
 * Reads a state as `encodeState` writes it, and nothing else. Never throws. Whether it is the right
 * one, its root says.
 */
export function parseState(text: string): Result<State, 'BAD_STATE'> {
  const parsed = parseCanonical(text)
  if (!parsed.ok) return { ...parsed, code: 'BAD_STATE' }
  const value = parsed.value as unknown as State
  const wrong = STATE(value) ?? conflictIn(value)
  if (wrong !== undefined) return { ok: false, code: 'BAD_STATE', detail: `state${wrong}` }
  return { ok: true, value }
}

/** What does not fit together where every field has its shape. */
function conflictIn({ protocol, epoch, champion, duel }: State): string | undefined {
  if (protocol.minTrials > protocol.cap) return '/protocol/minTrials: more than the cap'
  if (!duel) return undefined
  if (duel.start > epoch) return '/duel/start: after the epoch'
  if (duel.id !== duelId(duel.champion, duel.contender, duel.start))
    return '/duel/id: of another duel'
  if (Object.keys(duel.stakes).sort().join() !== Object.keys(duel.weights).sort().join())
    return '/duel/stakes: not of those with a weight'
  if (!champion || contentOf(champion) !== contentOf(duel.champion))
    return '/duel/champion: not on the throne'
  return undefined
}

/** 10^12 is far above any count, and far enough below 2^53 that sums stay whole. */
const whole = (least = 0, most = 10 ** 12): Shape<number> => int(least, most)
const hash = hex(32)
const ratio = whole(1, 999_999)
const share = whole(0, 1_000_000)
const name = anyText()
const miner = record<Miner>({ hotkey: name, model: name, revision: name, chute: name })
const stake = text('a whole number of up to 39 digits, above 0', /^[1-9][0-9]{0,38}$/)
const tally = record<Tally>({
  wins: whole(),
  losses: whole(),
  played: whole(),
  contenderPoints: whole(),
  championPoints: whole(),
})
const envConstants = record<EnvConstants>({
  specHash: hash,
  players: whole(1, 2),
  quotaFirst: whole(1),
  quotaMost: whole(1),
})
const duel = record<Duel>({
  id: hash,
  champion: miner,
  contender: miner,
  start: whole(),
  ratio,
  weights: map(whole(1, 1_000_000)),
  stakes: map(stake),
  frozen: whole(0, FROZEN_MOST - 1),
  tallies: map(list(map(tally))),
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
const turns = record<Turns>(
  { registered: whole(), duels: whole(1), ended: whole(), content: hash },
  ['content'],
)

const STATE = record<State>(
  {
    protocol,
    epoch: whole(),
    ratio,
    champion: miner,
    record: map(share),
    turns: whole(),
    dueled: map(turns),
    attested: map(record<LastAttested>({ epoch: whole(), stake })),
    trust: map(record<Trust>({ correct: whole(), incorrect: whole() })),
    heads: map(hash),
    due: map(hash),
    duel,
  },
  ['champion', 'attested', 'duel'],
)
