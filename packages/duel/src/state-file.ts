import { canonicalize, parseCanonical, type Result } from '@affine/prng'
import * as z from 'zod/mini'
import { tabulate } from './own-keys.ts'
import { PROTOCOL } from './protocol.ts'
import { contentOf, duelId, FROZEN_MOST, type State } from './state.ts'
import { NOTHING } from './tally.ts'

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
  const detail = misshapenIn(value) ?? conflictIn(value)
  if (detail !== undefined) return { ok: false, code: 'BAD_STATE', detail }
  return { ok: true, value }
}

/** The first field that does not have its shape. */
function misshapenIn(value: unknown): string | undefined {
  const issue = STATE.safeParse(value).error?.issues[0]
  if (issue === undefined) return undefined
  // No message: it may quote a stranger's key.
  return `${['state', ...issue.path].join('.')}: ${issue.code}`
}

/** What does not fit together where every field has its shape. */
function conflictIn({ protocol, epoch, champion, duel }: State): string | undefined {
  if (protocol.minTrials > protocol.cap) return 'state.protocol.minTrials: more than the cap'
  if (!duel) return undefined
  if (duel.start > epoch) return 'state.duel.start: after the epoch'
  if (duel.id !== duelId(duel.champion, duel.contender, duel.start))
    return 'state.duel.id: of another duel'
  if (Object.keys(duel.stakes).sort().join() !== Object.keys(duel.weights).sort().join())
    return 'state.duel.stakes: not of those with a weight'
  if (!champion || contentOf(champion) !== contentOf(duel.champion))
    return 'state.duel.champion: not on the throne'
  return undefined
}

/**
 * Values of a record by number: `z.record` passes over `__proto__`, and a path must not hold a
 * stranger's key.
 */
const record = (value: z.ZodMiniType) =>
  z.pipe(
    z.transform((x) => (x instanceof Object && !Array.isArray(x) ? Object.values(x) : undefined)),
    z.array(value),
  )
/** 10^12 is far above any count, and far enough below 2^53 that sums stay whole. */
const whole = (least = 0, most = 10 ** 12) => z.int().check(z.minimum(least), z.maximum(most))
const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/))
const ratio = whole(1, 999_999)
const share = whole(0, 1_000_000)
const miner = z.strictObject({
  hotkey: z.string(),
  model: z.string(),
  revision: z.string(),
  chute: z.string(),
})
const envConstants = z.strictObject({
  specHash: hash,
  players: whole(1, 2),
  quotaFirst: whole(1),
  quotaMost: whole(1),
})
const stake = z.string().check(z.regex(/^[1-9][0-9]{0,38}$/))
const tally = z.strictObject(tabulate(Object.keys(NOTHING), () => whole()))
const duel = z.strictObject({
  id: hash,
  champion: miner,
  contender: miner,
  start: whole(),
  ratio,
  weights: record(whole(1, 1_000_000)),
  stakes: record(stake),
  frozen: whole(0, FROZEN_MOST - 1),
  tallies: record(z.array(record(tally))),
  verdicts: record(z.enum(['win', 'hold', 'even'])),
})

const STATE = z.strictObject({
  protocol: z.strictObject({
    ...tabulate(Object.keys(PROTOCOL), () => whole(1)),
    envs: record(envConstants),
    templates: hash,
    cap: whole(1, 10_000_000),
    trustFadePpm: share,
    ratioFloorPpm: ratio,
    ratioCeilingPpm: ratio,
    ratioDecayPpm: share,
  }),
  epoch: whole(),
  ratio,
  champion: z.optional(miner),
  record: record(share),
  turns: whole(),
  dueled: record(
    z.strictObject({
      registered: whole(),
      duels: whole(1),
      ended: whole(),
      content: z.optional(hash),
    }),
  ),
  attested: z.optional(record(z.strictObject({ epoch: whole(), stake }))),
  trust: record(z.strictObject({ correct: whole(), incorrect: whole() })),
  heads: record(hash),
  due: record(hash),
  duel: z.optional(duel),
})
