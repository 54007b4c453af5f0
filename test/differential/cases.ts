import {
  judgeSampleProof,
  planLane,
  proveSample,
  readBlock,
  type Sample,
  type Scope,
  verifyLane,
} from '../../packages/blocks/src/index.ts'
import {
  honestSamples,
  type Key,
  laneOf,
  type Plan,
  plansOf,
  scopeOf,
} from '../../packages/blocks/test/lane.ts'
import { decodeCommitment, encodeCommitment, verify } from '../../packages/chain/src/index.ts'
import { extractAnswer, make, recordReply, registry } from '../../packages/envs/src/index.ts'
import { canonicalize, type Generator, parseCanonical } from '../../packages/prng/src/index.ts'
import { accountOf } from '../attacks/reading-subnet.ts'
import { mutate, specimenOf } from '../fuzz/mutate.ts'
import { pick } from '../simulate/draw.ts'

/** A case for both implementations, and the result of this implementation. */
export interface Case {
  readonly given: object
  readonly found: unknown
}

/** Reports true once in `odds` times. */
export const isOdds = (odds: number, random: Generator): boolean => random.integers(0, odds) === 0
const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
const bytesIn = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** Returns a list with `count` items from `at` on replaced by others. */
const replaceItems = <T>(
  list: readonly T[],
  at: number,
  count: number,
  ...others: readonly T[]
): T[] => [...list.slice(0, at), ...others, ...list.slice(at + count)]

// Replies

/** Parts of replies: texts that §3.2 or an environment treats specially, and other texts. */
const PARTS = [
  ...['A1', 'b2', 'C3', 'K11', 'a4', '12', '0', '1208650797374385', '1,208,650,797,374,385'],
  ...['0 0 9 9', '0,0,5,5; 5,0,4,4', '(0, 0, 3, 4)', ';', ',', 'Answer: ', 'pass', '\uff11'],
  ...['**', '*', '_', '`', '"', '$', '\\(', '\\)', '\\[', '\\]', '\\boxed{', '\\text{', '}', '{'],
  ...[' ', '  ', '.', '\n', '\r\n', '\r', '\t', '\0', '\u0085', '\u2028', '\u2029', '\u000b', '\f'],
  ...['\u001b[', '\u009b', '\u001b[1;31m', '\u001b]0;x', '\u0007', '\u001b\\', '\u009c', '\u001b'],
  ...['\u001b(B', '\u001bP', '\u0090', '\u0098', '\u007f', '\u0080', '\u00a0', '\u00ad', '\u034f'],
  ...['\u061c', '\u115f', '\u17b4', '\u180b', '\u180f', '\u200b', '\u200f', '\u202a', '\u202f'],
  ...['\u2060', '\u206f', '\u3164', '\ufe00', '\ufe0f', '\ufeff', '\uffa0', '\ufff0', '\uffff'],
  ...[
    '\ud800',
    '\udc00',
    '\u{1bca0}',
    '\u{1d173}',
    '\u{e0000}',
    '\u{e0fff}',
    '\u{1f600}',
    '\u20ac',
  ],
  ...['x'.repeat(300), '\u20ac'.repeat(150), '"\\\n'.repeat(90), 'line\n'.repeat(60)],
]

export function drawReply(random: Generator): Case {
  const count = random.integers(0, 14)
  const code = (): string =>
    String.fromCodePoint(random.integers(0, pick([128, 65536, 1114112], random)))
  const parts = Array.from({ length: count }, () =>
    isOdds(5, random) ? code() : pick(PARTS, random),
  )
  const text = parts.join('')
  const record = recordReply(text)
  const actions = [...registry.keys()].map((env) => [env, make(env).parse(record)] as const)
  const found = toJson([record, extractAnswer(record), Object.fromEntries(actions)])
  return { given: { text }, found }
}

/** Returns the value that a reader of this value's JSON gets. */
const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

// Slots

const HASH = 'b'.repeat(64)
const NO_HEAD = '0'.repeat(64)
const ACCOUNT = accountOf(1)

export function drawSlot(random: Generator): Case {
  const { hotkey } = ACCOUNT
  const epoch = pick([0, 7, 2 ** 32 - 1], random)
  const bitmap = Uint8Array.from({ length: 16 }, () => random.integers(0, 256))
  const prefix = pick(['', 'lab/', 'é€', '\0'], random)
  const other = pick(['main', '', '\ufeff'], random)
  const commitment = pick(
    [
      { kind: 'seal', epoch, head: HASH, url: `${prefix}u` },
      { kind: 'attest', epoch, bitmap, next: HASH, stateRoot: HASH, url: 'https://b.example' },
      { kind: 'miner', model: prefix + hotkey, revision: `${other}r`, chute: 'c' },
    ] as const,
    random,
  )
  const fields = encodeCommitment(commitment).map((field) => latin(field))
  const damaged = isOdds(4, random) ? fields : fields.flatMap((field) => damageField(field, random))
  const bytes = damaged.map((field) => new Uint8Array(bytesIn(field)))
  const given = { fields: bytes.map((field) => Buffer.from(field).toString('hex')), hotkey }
  const found = decodeCommitment(bytes, hotkey)
  const hex = found !== null &&
    'bitmap' in found && { bitmap: Buffer.from(found.bitmap).toString('hex') }
  return { given, found: toJson(found && { ...found, ...hex }) }
}

function damageField(field: string, random: Generator): readonly string[] {
  const size = pick([0, 1, 37, 38, 39, 86, 127, 128, 129], random)
  return pick(
    [
      () => [field],
      () => [field],
      () => [],
      () => [field, field],
      () => [field.padEnd(size, 'x').slice(0, size)],
      () => [mutate([specimenOf(field)], random)],
      () => [String.fromCharCode(random.integers(0, 3), random.integers(0, 4)) + field.slice(2)],
      () => [
        pick(['\xff', '\xc0\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80', '\xef\xbb\xbf'], random) +
          field,
      ],
    ],
    random,
  )()
}

// Lanes

const KEY: Key = {
  ...ACCOUNT,
  verify: (message, signature) => verify(message, signature, ACCOUNT.hotkey),
}
const [CHAMPION = '', FIRST = '', SECOND = ''] = [101, 102, 103].map(
  (scalar) => accountOf(scalar).hotkey,
)
const ENVS = ['hex@0.1.0', 'mult8@0.1.0', 'pack@0.1.0', 'tictactoe@0.1.0'] as const
const [HEX, MULT8, PACK, TICTACTOE] = ENVS
/** Number of samples of a full block in these cases. */
export const BLOCK_SAMPLES = 8

/** The scope and the samples of a valid lane. */
interface Honest {
  readonly scope: Scope
  readonly samples: readonly Sample[]
}

const QUOTAS: readonly Scope['quotas'][] = [
  { [FIRST]: { [HEX]: 1, [MULT8]: 2, [PACK]: 1, [TICTACTOE]: 1 } },
  { [FIRST]: { [MULT8]: 3 }, [SECOND]: { [MULT8]: 1, [HEX]: 2 } },
  { [FIRST]: { [TICTACTOE]: 2 }, [SECOND]: { [PACK]: 2 } },
  { [FIRST]: { [MULT8]: 9 } },
  { [FIRST]: { [MULT8]: 4 } },
  { [FIRST]: { [HEX]: 2 } },
]

/** Plays the valid lanes that cases damage. */
export async function playLanes(): Promise<readonly Honest[]> {
  const scopes = QUOTAS.map((quotas) => ({
    ...scopeOf(ACCOUNT.hotkey, {}, quotas),
    champion: CHAMPION,
  }))
  return Promise.all(scopes.map(async (scope) => ({ scope, samples: await honestSamples(scope) })))
}

type Lines = readonly (string | Sample)[]
type Loose = Record<string, unknown>
type LooseEpisode = Loose & { messages: Loose[] }
/** A function that damages a value. The result need not have the shape of the value. */
type Damage<T> = (value: T, random: Generator) => unknown

const ODD_TEXTS = [
  ...['', ' ', 'A1', 'x\t', '\ud800', '\u0000', 'no-reply', 'x'.repeat(641), 'd'.repeat(129), 'é'],
]
/** Returns a damage that sets a member to one of these values. */
const set =
  (name: string, ...values: readonly unknown[]): Damage<Loose> =>
  (value, random) =>
    Object.assign(value, { [name]: pick(values, random) })
/** Returns a damage that changes the text of a message. */
const write =
  (change: (content: string) => string): Damage<Loose> =>
  (message) =>
    Object.assign(message, { content: change(`${message.content}`) })

const ON_SAMPLE: readonly Damage<Loose>[] = [
  set('index', -1, 0, 1, 2, 1.5, '0'),
  set('env', ...ENVS, 'x', 'mult8-v0', 7),
  (sample, random) =>
    set('challengeId', '1'.repeat(32), 'x', sample.env, '2'.repeat(44))(sample, random),
  set('more', 1),
  (sample) => delete sample.challengeId,
]
const ON_EPISODE: readonly Damage<LooseEpisode>[] = [
  (episode) => Object.assign(episode, { reward: Number(episode.reward) + 1 }),
  (episode) => Object.assign(episode, { reward: -Number(episode.reward) }),
  set('reward', -1, 0, 1, 0.5, true, '1', 2 ** 53),
  set('fault', 'no-reply'),
  (episode) => delete episode.fault,
  set('fault', 'late', null, 1, ''),
  set('ms', -1, 0, 2 ** 53, 1.5, '1'),
  set('miner', CHAMPION, FIRST, SECOND, '', 5),
  set('more', 1),
  set('messages', []),
  set('messages', null, {}, 'x', [[]]),
  ({ messages }) => messages.pop(),
  ({ messages }) => messages.splice(-2),
  ({ messages }) => messages.shift(),
  ({ messages }) => messages.reverse(),
  ({ messages }) => messages.push(...structuredClone(messages.slice(-2))),
  ({ messages }) => messages.push(...structuredClone(messages.slice(-1))),
  ({ messages }) => messages.push({ role: 'user', content: 'more' }),
  ({ messages }) => messages.splice(1, 0, ...structuredClone(messages.slice(0, 2))),
]
const ON_MESSAGE: readonly Damage<Loose>[] = [
  set('content', ...ODD_TEXTS),
  write((content) => `${content}!`),
  write((content) => `${content}\n`),
  write((content) => `so\n${content}`),
  write((content) => `**${content}**`),
  write((content) => content.toLowerCase()),
  write((content) => content.slice(0, -1)),
  set('role', 'user', 'assistant', 'system', ''),
  set('ms', 0, 1, -1, 0.5, '1', 2 ** 53),
  set('invocation', ...ODD_TEXTS, 'call-1'),
  set('invocation', 'c'.repeat(128)),
  (message) => delete message.invocation,
  set('more', 1),
  (message) => delete message.content,
]

/** Damages a sample, or one of its episodes or messages. */
function damageSample(sample: Loose, random: Generator): void {
  const kind = random.integers(0, 7)
  if (kind === 0) return void pick(ON_SAMPLE, random)(sample, random)
  const side = pick(['champion', 'contender'], random)
  const episode = ('miner' in sample ? sample : sample[side]) as LooseEpisode
  if (kind <= 3) return void pick(ON_EPISODE, random)(episode, random)
  const { messages } = episode
  if (messages.length > 0) pick(ON_MESSAGE, random)(pick(messages, random), random)
}

/** Damage to the samples of a lane. */
const ON_LINES: readonly ((lines: Lines, random: Generator, other: Honest) => Lines)[] = [
  (lines, random) => replaceItems(lines, random.integers(0, lines.length), 1),
  (lines, random) => replaceItems(lines, random.integers(0, lines.length), 0, pick(lines, random)),
  (lines, random, { samples }) =>
    replaceItems(lines, random.integers(0, lines.length), 1, pick(samples, random)),
  (lines, random) => [...lines.slice(0, random.integers(0, lines.length))],
  (lines) => [...lines].reverse(),
  (lines, random) => {
    const at = random.integers(0, lines.length)
    return replaceItems(lines, at, 1, ...lines.slice(at + 1, at + 2), ...lines.slice(at, at + 1))
  },
  (lines, random) => changeOne(lines, random, (text) => mutate([specimenOf(text)], random)),
  (lines, random) =>
    changeOne(lines, random, (text) =>
      pick([` ${text}`, `${text} `, `${text}\r`, '', `{${text}}`], random),
    ),
]

function changeOne(lines: Lines, random: Generator, change: (text: string) => string): Lines {
  const at = random.integers(0, lines.length)
  const line = lines[at] ?? ''
  const text = typeof line === 'string' ? line : latin(Buffer.from(canonicalize(line as never)))
  return replaceItems(lines, at, 1, change(text).replaceAll('\n', ''))
}

function changeSample(lines: Lines, random: Generator): Lines {
  const at = random.integers(0, lines.length)
  const line = lines[at]
  if (typeof line === 'string' || line === undefined) return lines
  const sample = structuredClone(line) as unknown as Loose
  damageSample(sample, random)
  return replaceItems(lines, at, 1, latin(Buffer.from(looseText(sample))))
}

/** Returns a value's canonical text, or a similar text if `canonicalize` would refuse the value. */
function looseText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(looseText).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, each]) => `${JSON.stringify(key)}:${looseText(each)}`).join()}}`
}

const ODD_HEADER = {
  v: [2, 0, '1'],
  genesis: [HASH, HASH.toUpperCase(), '', 1],
  netuid: [0, 65535, 65536, -1],
  validator: [CHAMPION, '', `5${'A'.repeat(47)}`],
  epoch: [0, 8, 2 ** 32, -1],
  height: [0, 1, 2, 2 ** 32, -1],
  prev: [HASH, '0'.repeat(64), 'x'],
  count: [0, 1, 9, 2049, -1],
  root: [HASH, 'x'],
  time: [0, -1, '0', true],
  secret: [HASH, undefined, 1, '5e'.repeat(32)],
  more: [1],
}

function oddHeader(random: Generator): Record<string, unknown> {
  const [name, values] = pick<[string, readonly unknown[]]>(Object.entries(ODD_HEADER), random)
  return { [name]: isOdds(6, random) ? undefined : pick(values, random) }
}

/** Draws a lane with up to two kinds of damage. */
export async function drawLane(lanes: readonly Honest[], random: Generator): Promise<Case> {
  const { scope, samples } = pick(lanes, random)
  let lines: Lines = samples
  let size = BLOCK_SAMPLES
  let header: Record<string, unknown> | undefined
  let previous = NO_HEAD
  let isRaw = false
  for (let left = random.integers(0, 3); left > 0; left--) {
    const kind = random.integers(lines.length === 0 ? 9 : 0, 12)
    if (kind < 6) lines = changeSample(lines, random)
    else if (kind < 9) lines = pick(ON_LINES, random)(lines, random, pick(lanes, random))
    else if (kind === 9) header = oddHeader(random)
    else if (kind === 10) size = pick([1, 3, 7, 9, 50], random)
    else if (isOdds(4, random)) previous = HASH
    else isRaw = true
  }
  const plain = lines.map((line) => (typeof line === 'string' ? bytesIn(line) : line))
  const plans: Plan[] = plansOf(plain as never, size)
  const at = random.integers(0, plans.length)
  if (header) plans[at] = { ...plans[at]!, header }
  const files = laneOf(KEY, scope, plans, previous)
  const blocks = [...files.bytes].map(([hash, bytes]) => [hash, latin(bytes)] as const)
  const raw = random.integers(0, blocks.length)
  const served = blocks.map(([hash, text], i) => {
    return [hash, isRaw && i === raw ? mutate([specimenOf(text)], random) : text] as const
  })
  const given = { scope, head: files.head, previous: NO_HEAD, blocks: Object.fromEntries(served) }
  for (const [hash, text] of served) files.bytes.set(hash, bytesIn(text))
  const verified = await verifyLane({ ...files, previous: NO_HEAD })
  return { given, found: verified.ok ? toJson(verified.value.tallies) : null }
}

// Proofs of a sample

/** A proof as text, with the scope and the head of its lane. */
interface Proved {
  readonly text: string
  readonly scope: Scope
  readonly head: string
}

/** Makes the proofs that cases damage. */
export function makeProofs(lanes: readonly Honest[]): readonly Proved[] {
  return lanes.flatMap(({ scope, samples }) => {
    const { bytes, head } = laneOf(KEY, scope, plansOf(samples, BLOCK_SAMPLES))
    const blocks = [...bytes].flatMap(([hash, each]) => {
      const read = readBlock(each, { hash, verify })
      return read.ok ? [read.value] : []
    })
    return blocks.map((block, i) => {
      const after = blocks.slice(i + 1).map(({ header }) => header)
      const proof = proveSample(block, block.samples.length - 1, after)
      return { text: latin(Buffer.from(canonicalize(proof as never))), scope, head }
    })
  })
}

export function drawProof(proofs: readonly Proved[], random: Generator): Case {
  const { text: valid, scope, head } = pick(proofs, random)
  const text = isOdds(6, random) ? valid : damageProof(valid, random)
  const read = parseCanonical(decodeUtf8(bytesIn(text)))
  const { result } = judgeSampleProof(read.ok ? read.value : null, { head, scope, verify })
  const found = read.ok && result.ok ? canonicalize(result.value as never) : null
  return { given: { text, scope, head, most: planLane(scope).length }, found }
}

function damageProof(text: string, random: Generator): string {
  if (isOdds(2, random)) return mutate([specimenOf(text)], random)
  const proof = JSON.parse(Buffer.from(text, 'latin1').toString()) as Record<string, unknown>
  const name = pick(Object.keys(proof), random)
  const known = proof[name]
  const [list, line] = [Array.isArray(known) ? known : [], typeof known === 'string' ? known : '']
  proof[name] = pick<() => unknown>(
    [
      () => [...list, ...list],
      () => list.slice(1),
      () => [...list].reverse(),
      () => [...list, HASH],
      () => mutate([specimenOf(line)], random),
      () => line.replace(/[0-9]/, '7'),
      () => random.integers(0, 9),
    ],
    random,
  )()
  return latin(Buffer.from(looseText(proof)))
}

/** Returns the text of bytes, or an empty text if they are not valid UTF-8. */
function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return ''
  }
}
