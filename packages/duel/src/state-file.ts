import { type Json, parseCanonical, type Result } from '@affine/prng'
import type { Tally } from './evidence.ts'
import { PROTOCOL } from './protocol.ts'
import { own } from './record.ts'
import { contentOf, duelId, type State } from './state.ts'

/** What is wrong with a value, or undefined. `at` says where: of records the position, never a key that a stranger chose. */
type Shape = (value: Json, at: string) => string | undefined

/** Reads a state as `encodeState` writes it, and nothing else. Never throws. Whether it is the right one, its root says. */
export function parseState(text: string): Result<State, 'BAD_STATE'> {
  const parsed = parseCanonical(text)
  const detail = parsed.ok ? STATE(parsed.value, 'state') : parsed.detail
  if (!parsed.ok || detail !== undefined) return { ok: false, code: 'BAD_STATE', detail: detail ?? '' }
  const state = parsed.value as unknown as State
  const conflict = conflictIn(state)
  return conflict === undefined ? { ok: true, value: state } : { ok: false, code: 'BAD_STATE', detail: conflict }
}

const matches =
  (pattern: RegExp, what: string): Shape =>
  (value, at) =>
    typeof value === 'string' && pattern.test(value) ? undefined : `${at}: expected ${what}`

/** 10^12 is far above any count, and far enough below 2^53 that sums stay whole. */
const whole =
  (least = 0, most = 10 ** 12): Shape =>
  (value, at) =>
    typeof value === 'number' && value >= least && value <= most ? undefined : `${at}: expected ${least}..${most}`

const list =
  (item: Shape): Shape =>
  (value, at) =>
    Array.isArray(value) ? firstOf(value.map((x, i) => item(x, `${at}[${i}]`))) : `${at}: expected a list`

const record =
  (item: Shape): Shape =>
  (value, at) =>
    isObject(value) ? list(item)(Object.values(value), at) : `${at}: expected an object`

const fields =
  (shapes: Readonly<Record<string, Shape>>, ...optional: readonly string[]): Shape =>
  (value, at) => {
    if (!isObject(value)) return `${at}: expected an object`
    if (Object.keys(value).some((key) => !Object.hasOwn(shapes, key))) return `${at}: a field too many`
    const check = ([key, shape]: [string, Shape]) => {
      const field = own(value, key)
      if (field === undefined) return optional.includes(key) ? undefined : `${at}.${key}: missing`
      return shape(field, `${at}.${key}`)
    }
    return firstOf(Object.entries(shapes).map(check))
  }

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && !Array.isArray(value)
const firstOf = (faults: readonly (string | undefined)[]) => faults.find((fault) => fault !== undefined)

const text = matches(/^/, 'text')
const hash = matches(/^[0-9a-f]{64}$/, '64 lower-case hex digits')
const ratio = whole(1, 999_999)
const share = whole(0, 1_000_000)
const miner = fields({ hotkey: text, model: text, revision: text, chute: text })
const protocol = fields({
  ...Object.fromEntries(Object.keys(PROTOCOL).map((key) => [key, whole(1)])),
  envs: record(hash),
  validatorsMost: whole(1, PROTOCOL.validatorsMost),
  cap: whole(1, 10_000_000),
  ratioFloorPpm: ratio,
  ratioCeilingPpm: ratio,
  ratioDecayPpm: share,
  trustFadePpm: share,
  evenPpm: share,
})
const duel = fields({
  id: hash,
  champion: miner,
  contender: miner,
  start: whole(),
  ratio,
  weights: record(whole(1, 1_000_000)),
  tallies: record(record(fields({ wins: whole(), losses: whole(), played: whole() }))),
  verdicts: record(matches(/^(win|hold|even)$/, 'win, hold or even')),
})
const trust = record(fields({ correct: whole(), incorrect: whole() }))
const heads = record(hash)
const STATE = fields(
  { protocol, epoch: whole(), ratio, champion: miner, dueled: list(hash), trust, heads, due: heads, duel },
  'champion',
  'duel',
)

/** What does not fit together in a state whose every field has its shape. */
function conflictIn({ protocol, epoch, champion, dueled, due, duel }: State): string | undefined {
  const has = (record: object) => (key: string) => Object.hasOwn(record, key)
  const overfull = ({ wins, losses, played }: Tally) => wins + losses > played
  const { weights, tallies, verdicts } = duel ?? { weights: {}, tallies: {}, verdicts: {} }
  if (dueled.some((content, i) => i > 0 && content <= (dueled[i - 1] ?? ''))) return 'state.dueled: expected ascending'
  if (protocol.minTrials > protocol.cap) return 'state.protocol.minTrials: more than the cap'
  if (!Object.keys(due).every(has(weights))) return 'state.due: expected voters of a duel'
  if (Object.keys(weights).length > protocol.validatorsMost) return 'state.duel.weights: more than validatorsMost'
  if (![...Object.keys(tallies), ...Object.keys(verdicts)].every(has(protocol.envs))) return 'state.duel: a strange env'
  if (Object.values(tallies).some((lanes) => Object.values(lanes).some(overfull))) return 'state.duel.tallies: overfull'
  if (duel === undefined) return undefined
  if (duel.start > epoch) return 'state.duel.start: after the epoch'
  if (duel.id !== duelId(duel.champion, duel.contender, duel.start)) return 'state.duel.id: of another duel'
  const sits = champion !== undefined && contentOf(champion) === contentOf(duel.champion)
  return sits ? undefined : 'state.duel.champion: not on the throne'
}
