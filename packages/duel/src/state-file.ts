import { type Json, parseCanonical, type Result } from '@affine/prng'
import { PROTOCOL } from './protocol.ts'
import { own, tabulate } from './record.ts'
import { contentOf, duelId, type State } from './state.ts'

/** Reads a state as `encodeState` writes it, and nothing else. Never throws. Whether it is the right one, its root says. */
export function parseState(text: string): Result<State, 'BAD_STATE'> {
  const parsed = parseCanonical(text)
  if (!parsed.ok) return { ok: false, code: 'BAD_STATE', detail: parsed.detail }
  const value = parsed.value as unknown as State
  const detail = fault(STATE, parsed.value, 'state') ?? conflict(value)
  return detail === undefined ? { ok: true, value } : { ok: false, code: 'BAD_STATE', detail }
}

/** A test with its name; or fields, of which `name?` may be missing and `*` stands for any name. */
type Shape = readonly [expected: string, holds: (value: Json) => boolean] | Fields
type Fields = { readonly [field: string]: Shape }

/** What is wrong with a value. It tells places in records by number: a name there is a stranger's. */
function fault(shape: Shape, value: Json, at: string): string | undefined {
  if (isTest(shape)) return shape[1](value) ? undefined : `${at}: expected ${shape[0]}`
  if (typeof value !== 'object' || Array.isArray(value)) return `${at}: expected an object`
  const each = shape['*']
  const fields = Object.entries(value)
  if (each) return firstOf(fields.map(([, field], i) => fault(each, field, `${at}[${i}]`)))
  if (fields.some(([name]) => !own(shape, name) && !own(shape, `${name}?`))) return `${at}: a field too many`
  return firstOf(
    Object.entries(shape).map(([key, field]) => {
      const name = key.replace('?', '')
      const found = own(value as Fields, name) as Json | undefined
      if (found === undefined) return name === key ? `${at}.${name}: missing` : undefined
      return fault(field, found, `${at}.${name}`)
    }),
  )
}

const isTest = (shape: Shape): shape is Exclude<Shape, Fields> => Array.isArray(shape)
const firstOf = (faults: readonly (string | undefined)[]) => faults.find((found) => found !== undefined)

const isText = (pattern: RegExp) => (value: Json) => typeof value === 'string' && pattern.test(value)
const matches = (expected: string, pattern: RegExp): Shape => [expected, isText(pattern)]
/** 10^12 is far above any count, and far enough below 2^53 that sums stay whole. */
const whole = (least = 0, most = 10 ** 12): Shape => [
  `${least}..${most}`,
  (value) => typeof value === 'number' && value >= least && value <= most,
]
const isHash = isText(/^[0-9a-f]{64}$/)
const isAscending = (list: readonly Json[]) => list.every((x, i) => i === 0 || x > (list[i - 1] ?? ''))
const text = matches('text', /^/)
const hash: Shape = ['64 lower-case hex digits', isHash]
const ratio = whole(1, 999_999)
const share = whole(0, 1_000_000)
const miner = { hotkey: text, model: text, revision: text, chute: text }
const tally = { wins: whole(), losses: whole(), played: whole() }

const STATE: Shape = {
  protocol: {
    ...tabulate(Object.keys(PROTOCOL), () => whole(1)),
    envs: { '*': hash },
    cap: whole(1, 10_000_000),
    ...{ ratioFloorPpm: ratio, ratioCeilingPpm: ratio, ratioDecayPpm: share, trustFadePpm: share },
  },
  epoch: whole(),
  ratio,
  'champion?': miner,
  dueled: ['ascending hashes', (value) => Array.isArray(value) && value.every(isHash) && isAscending(value)],
  trust: { '*': { correct: whole(), incorrect: whole() } },
  heads: { '*': hash },
  due: { '*': hash },
  'duel?': {
    id: hash,
    champion: miner,
    contender: miner,
    start: whole(),
    ratio,
    weights: { '*': whole(1, 1_000_000) },
    tallies: { '*': { '*': tally } },
    verdicts: { '*': matches('win, hold or even', /^(win|hold|even)$/) },
  },
}

/** What does not fit together where every field has its shape. */
function conflict({ protocol, epoch, champion, duel }: State): string | undefined {
  if (protocol.minTrials > protocol.cap) return 'state.protocol.minTrials: more than the cap'
  if (!duel) return undefined
  if (duel.start > epoch) return 'state.duel.start: after the epoch'
  if (duel.id !== duelId(duel.champion, duel.contender, duel.start)) return 'state.duel.id: of another duel'
  const sits = champion && contentOf(champion) === contentOf(duel.champion)
  return sits ? undefined : 'state.duel.champion: not on the throne'
}
