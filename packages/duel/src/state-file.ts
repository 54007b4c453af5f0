import { type Json, parseCanonical, type Result } from '@affine/prng'
import type { Tally } from './evidence.ts'
import { PROTOCOL } from './protocol.ts'
import { own } from './record.ts'
import { contentOf, duelId, type State } from './state.ts'

/** What is wrong with a value, or undefined. `at` says where: positions, never keys, which a stranger chose. */
type Shape = (value: Json, at: string) => string | undefined

const MOST = 10 ** 12 // far above any count, far enough below 2^53 that sums stay whole
const RATIO_MOST = 999_999

const text: Shape = (value, at) => (typeof value === 'string' ? undefined : `${at}: expected text`)

const hash: Shape = (value, at) =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? undefined : `${at}: expected 64 lower-case hex digits`

const whole =
  (least = 0, most = MOST): Shape =>
  (value, at) =>
    typeof value === 'number' && value >= least && value <= most ? undefined : `${at}: expected ${least}..${most}`

const oneOf =
  (...words: readonly Json[]): Shape =>
  (value, at) =>
    words.includes(value) ? undefined : `${at}: expected one of ${words.join(', ')}`

const list =
  (item: Shape): Shape =>
  (value, at) =>
    Array.isArray(value) ? first(value.map((x: Json, i) => item(x, `${at}[${i}]`))) : `${at}: expected a list`

const record =
  (item: Shape): Shape =>
  (value, at) =>
    isObject(value) ? first(Object.values(value).map((x, i) => item(x, `${at}{${i}}`))) : `${at}: expected an object`

const fields =
  (required: Readonly<Record<string, Shape>>, optional: Readonly<Record<string, Shape>> = {}): Shape =>
  (value, at) => {
    if (!isObject(value)) return `${at}: expected an object`
    const known = { ...required, ...optional }
    if (Object.keys(value).some((key) => !Object.hasOwn(known, key))) return `${at}: a field too many`
    return first(
      Object.entries(known).map(([key, shape]) => {
        const field = own(value, key)
        if (field !== undefined) return shape(field, `${at}.${key}`)
        return Object.hasOwn(required, key) ? `${at}.${key}: missing` : undefined
      }),
    )
  }

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && !Array.isArray(value)
const first = (faults: readonly (string | undefined)[]) => faults.find((fault) => fault !== undefined)

const numbers = Object.keys(PROTOCOL).filter((key) => key !== 'envs')
const ratio = whole(1, RATIO_MOST)
const miner = fields({ hotkey: text, model: text, revision: text, chute: text })
const STATE = fields(
  {
    protocol: fields({
      ...Object.fromEntries(numbers.map((key) => [key, whole(1)])),
      envs: record(hash),
      ratioFloorPpm: ratio,
      ratioCeilingPpm: ratio,
      ratioDecayPpm: whole(0, 1_000_000),
      trustFadePpm: whole(0, 1_000_000),
    }),
    epoch: whole(),
    ratio,
    dueled: list(hash),
    trust: record(fields({ correct: whole(), incorrect: whole() })),
    heads: record(hash),
    due: record(hash),
  },
  {
    champion: miner,
    duel: fields({
      id: hash,
      champion: miner,
      contender: miner,
      start: whole(),
      ratio,
      weights: record(whole(1, 1_000_000)),
      tallies: record(record(fields({ wins: whole(), losses: whole(), played: whole() }))),
      verdicts: record(oneOf('win', 'hold', 'even')),
    }),
  },
)

/** Reads a state as `encodeState` writes it, and nothing else. Never throws. Whether it is the right one its root says. */
export function parseState(file: string): Result<State, 'BAD_STATE'> {
  const parsed = parseCanonical(file)
  if (!parsed.ok) return { ok: false, code: 'BAD_STATE', detail: parsed.detail }
  const detail = STATE(parsed.value, 'state') ?? inconsistency(parsed.value as unknown as State)
  if (detail !== undefined) return { ok: false, code: 'BAD_STATE', detail }
  return { ok: true, value: parsed.value as unknown as State }
}

/** What `decide` relies on between the fields of a state that has its shape. */
function inconsistency({ protocol, epoch, champion, dueled, due, duel }: State): string | undefined {
  if (dueled.some((content, i) => i > 0 && content <= (dueled[i - 1] ?? ''))) return 'state.dueled: expected ascending'
  if (duel === undefined) return Object.keys(due).length > 0 ? 'state.due: nobody is due without a duel' : undefined
  const voters = Object.keys(duel.weights)
  const lanes = Object.values(duel.tallies)
  const overfull = ({ wins, losses, played }: Tally) => wins + losses > played
  if (voters.length > protocol.validatorsMost) return 'state.duel.weights: more than an attestation has bits'
  if (Object.keys(due).some((hotkey) => !Object.hasOwn(duel.weights, hotkey))) return 'state.due: without a weight'
  if (duel.start > epoch) return 'state.duel.start: after the epoch'
  if (champion === undefined || contentOf(champion) !== contentOf(duel.champion))
    return 'state.champion: not in its duel'
  if (duel.id !== duelId(duel.champion, duel.contender, duel.start)) return 'state.duel.id: of another duel'
  if (
    [duel.tallies, duel.verdicts].some((record) => Object.keys(record).some((id) => !Object.hasOwn(protocol.envs, id)))
  )
    return 'state.duel: an environment that is not in the protocol'
  if (lanes.some((lane) => Object.values(lane).some(overfull))) return 'state.duel.tallies: more decided than played'
  return undefined
}
