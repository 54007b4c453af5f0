import { canonicalize, digest, type Hash, parseCanonical, type Result } from '@affine/prng'
import * as z from 'zod'
import type { Tallies } from './evidence.ts'
import { PROTOCOL, type Protocol } from './protocol.ts'
import { tabulate } from './record.ts'

/** A hotkey and what it commits to on chain. */
export type Miner = Readonly<Record<'hotkey' | 'model' | 'revision' | 'chute', string>>

/** How often a validator's lanes were good, in millionths of a lane, older ones fading. */
export type Trust = { readonly correct: number; readonly incorrect: number }

/**
 * What governs one epoch. Every validator computes the same one; keys of records are hotkeys unless
 * said otherwise.
 */
export type State = {
  readonly protocol: Protocol
  readonly epoch: number
  /** The ratio to beat, in ppm, that a duel starting now would keep. */
  readonly ratio: number
  readonly champion?: Miner
  /** Digests of the commitments that had their duel, ascending. */
  readonly dueled: readonly Hash[]
  readonly trust: Readonly<Record<string, Trust>>
  /** The last head each validator sealed. */
  readonly heads: Readonly<Record<string, Hash>>
  /** Who is expected to seal a lane this epoch, and the commitment to its secret. */
  readonly due: Readonly<Record<string, Hash>>
  readonly duel?: Duel
}

export type Duel = {
  readonly id: Hash
  readonly champion: Miner
  readonly contender: Miner
  /** Its first epoch. */
  readonly start: number
  readonly ratio: number
  /** The voters, in ppm of the heaviest. Fixed. */
  readonly weights: Readonly<Record<string, number>>
  /** By environment, then hotkey: what accepted lanes saw since the start. */
  readonly tallies: Readonly<Record<string, Tallies>>
  /** By environment. The others are open. */
  readonly verdicts: Readonly<Record<string, Given>>
}

/** A verdict that stays. */
export type Given = 'win' | 'hold' | 'even'

/** The state of a network's first epoch: nobody on the throne, nobody due. */
export function genesis(protocol: Protocol, epoch: number): State {
  return {
    protocol,
    epoch,
    ratio: protocol.ratioFloorPpm,
    dueled: [],
    trust: {},
    heads: {},
    due: {},
  }
}

/** The digest that a validator attests. */
export const stateRoot = (state: State): Hash => digest('state', state)

/** The four fields alone, whatever else is on the object. */
export const minerOf = ({ hotkey, model, revision, chute }: Miner): Miner => ({
  hotkey,
  model,
  revision,
  chute,
})

/** The digest of what a miner commits to: it has one duel. */
export const contentOf = (miner: Miner): Hash => digest('content', minerOf(miner))

/** The id of the duel that starts in epoch `start`. */
export function duelId(champion: Miner, contender: Miner, start: number): Hash {
  return digest('duel', minerOf(champion), minerOf(contender), start)
}

/** The environments of a duel that have no verdict yet, ascending. */
export function openEnvs({ verdicts }: Duel, { envs }: Protocol): readonly string[] {
  const isOpen = (env: string) => !Object.hasOwn(verdicts, env)
  return Object.keys(envs).filter(isOpen).sort()
}

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
  const issue = STATE.safeParse(value).error?.issues[0]
  // No message: it may quote a stranger's key.
  const detail = issue ? `${['state', ...issue.path].join('.')}: ${issue.code}` : conflict(value)
  return detail === undefined ? { ok: true, value } : { ok: false, code: 'BAD_STATE', detail }
}

/** What does not fit together where every field has its shape. */
function conflict({ protocol, epoch, champion, duel }: State): string | undefined {
  if (protocol.minTrials > protocol.cap) return 'state.protocol.minTrials: more than the cap'
  if (!duel) return undefined
  if (duel.start > epoch) return 'state.duel.start: after the epoch'
  if (duel.id !== duelId(duel.champion, duel.contender, duel.start))
    return 'state.duel.id: of another duel'
  const sits = champion && contentOf(champion) === contentOf(duel.champion)
  return sits ? undefined : 'state.duel.champion: not on the throne'
}

/**
 * Values of a record by number: `z.record` passes over `__proto__`, and a path must not hold a
 * stranger's key.
 */
const record = (value: z.ZodType) =>
  z.preprocess(
    (x) => (x instanceof Object && !Array.isArray(x) ? Object.values(x) : undefined),
    z.array(value),
  )
/** 10^12 is far above any count, and far enough below 2^53 that sums stay whole. */
const whole = (least = 0, most = 10 ** 12) => z.int().min(least).max(most)
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const ratio = whole(1, 999_999)
const share = whole(0, 1_000_000)
const miner = z.strictObject({
  hotkey: z.string(),
  model: z.string(),
  revision: z.string(),
  chute: z.string(),
})
const duel = z.strictObject({
  id: hash,
  champion: miner,
  contender: miner,
  start: whole(),
  ratio,
  weights: record(whole(1, 1_000_000)),
  tallies: record(record(z.strictObject({ wins: whole(), losses: whole(), played: whole() }))),
  verdicts: record(z.enum(['win', 'hold', 'even'])),
})

const STATE = z.strictObject({
  protocol: z.strictObject({
    ...tabulate(Object.keys(PROTOCOL), () => whole(1)),
    envs: record(hash),
    cap: whole(1, 10_000_000),
    ...{ ratioFloorPpm: ratio, ratioCeilingPpm: ratio, ratioDecayPpm: share, trustFadePpm: share },
  }),
  epoch: whole(),
  ratio,
  champion: miner.optional(),
  dueled: z.array(hash).refine((list) => list.every((x, i) => i === 0 || x > (list[i - 1] ?? ''))),
  trust: record(z.strictObject({ correct: whole(), incorrect: whole() })),
  heads: record(hash),
  due: record(hash),
  duel: duel.optional(),
})
