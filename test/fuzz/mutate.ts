import type { Generator } from '../../packages/prng/src/index.ts'

/**
 * Bytes to mutate, one per character, and the positions of JSON values and members in them, found
 * leniently in any text.
 */
export interface Specimen {
  readonly text: string
  /** Start and end of each value. */
  readonly values: readonly Span[]
  readonly members: readonly Span[]
}
type Span = readonly [start: number, end: number]

const TOKEN = /"(?:\\.|[^"\\\n])*"|[[\]{}:]|[^\s,:"[\]{}]+/g

export function specimenOf(text: string): Specimen {
  const values: Span[] = []
  const members: Span[] = []
  /** Starts of open arrays and objects, and of the keys before them, -1 without a key. */
  const open: Span[] = []
  let key = -1
  let last: Span = [0, 0]
  const note = (start: number, end: number, from: number): void => {
    values.push([start, end])
    if (from !== -1) members.push([from, end])
    key = -1
  }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const end = index + token.length
    if (token === ':') {
      values.pop() // the value before a colon is a key
      key = last[0]
    } else if (token === '{' || token === '[') {
      open.push([index, key])
      key = -1
    } else if (token === '}' || token === ']') {
      const [start, from] = open.pop() ?? [0, -1]
      note(start, end, from)
    } else note(index, end, key)
    last = [index, end]
  }
  return { text, values, members }
}

const ODD_VALUES = [
  ...['null', 'true', 'false', '0', '-0', '1', '-1', '0.5', '1e400', '-1e400', '1e-400', '1.0'],
  ...['9007199254740991', '9007199254740992', '-9007199254740991', '4294967296', '65536', '256'],
  ...['1000001', '1000000000001', '18446744073709551616', '9'.repeat(400), '1e308', '5e-324'],
  ...['""', '"0"', '"-1"', '"0x"', '"0x00"', '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\n"'],
  ...['"\\u001b]0;owned\\u0007"', '"\\u202e"', '"\xc3\xa9"', '"\\u00e9"', '"\xef\xbb\xbf"', '"."'],
  ...['"__proto__"', '"constructor"', '"1e400"', '"../../x"', '"http://127.0.0.1/"', '"$&"'],
  ...[`"${'0'.repeat(64)}"`, `"${'f'.repeat(64)}"`, `"${'x'.repeat(5000)}"`],
  `"5${'A'.repeat(47)}"`,
  ...['[]', '{}', '[[]]', '[{}]', '{"":{}}', '{"__proto__":{"admin":true}}', '[null]', '[0,0]'],
  ...['{"toString":1,"valueOf":1}', '{"length":1000000000}', '{"then":1}', '{"0":1}'],
  '{"toJSON":1}',
]
const ODD_MEMBERS = [
  ...['"__proto__":{"admin":true}', '"__proto__":1', '"constructor":1', '"":0', '"a":1'],
  '"zz":null',
  ...['"toJSON":1', '"hasOwnProperty":1', '"length":1', '"\\ud800":1', '"0":1', '"ok":true'],
]
const ODD_BYTES = [
  ...['\0', '\n', '\r\n', '"', '\\', '{', '}', '[', ']', ',', ':', '-', '.', '0', '9', 'e', '\x7f'],
  ...['\x80', '\xff', '\xc0\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80', '\xef\xbb\xbf'],
  '\xe2\x80\xa8',
  ...['\x1b[2J', '\x1b]0;owned\x07', '\\ud800', '\\u0000', '__proto__', '\0\0\0\0'],
  '\xff\xff\xff\xff',
]
/** Rare inputs, since they take a thousand times as long as others. */
const BOMBS = [
  ...['['.repeat(50_000), '{"a":'.repeat(20_000), '[],'.repeat(20_000), '{},'.repeat(20_000)],
  ...[`${'['.repeat(20_000)}${']'.repeat(20_000)}`, `${'[['.repeat(30)}${']]'.repeat(30)}`],
  ...[`"${'x'.repeat(60_000)}"`, '9'.repeat(60_000), '\\u0000'.repeat(10_000), '\n'.repeat(60_000)],
  ...['\x1b]'.repeat(30_000), '\xc2\x9b'.repeat(30_000), ' '.repeat(60_000), '1'.repeat(20_000)],
  'z'.repeat(20_000),
  ...['"a":1,'.repeat(10_000), '\xf0\x9f\x92\xa5'.repeat(15_000), '0,'.repeat(30_000)],
  ...['\x7f'.repeat(60_000), '\x7fa'.repeat(30_000), '\\n'.repeat(30_000), '://'.repeat(20_000)],
  ...['@'.repeat(60_000), '<Code>'.repeat(10_000), '/'.repeat(60_000)],
  '\xed\xa0\x80'.repeat(20_000),
]
const BOMB_ODDS = 500

const NOTHING: Specimen = { text: '', values: [], members: [] }
const NOWHERE: Span = [0, 0]

type Change = (specimen: Specimen, random: Generator, other: Specimen) => string

const pick = <T>(random: Generator, items: readonly T[], otherwise: T): T =>
  items[random.integers(0, items.length || 1)] ?? otherwise

const replace = (text: string, [start, end]: Span, by: string): string =>
  text.slice(0, start) + by + text.slice(end)

/** Returns a random span, mostly a short one. */
function spanIn({ text }: Specimen, random: Generator): Span {
  const start = random.integers(0, text.length + 1)
  const most = random.integers(0, 8) === 0 ? text.length : 8
  return [start, Math.min(text.length, start + random.integers(1, most + 2))]
}

const cut = ({ text }: Specimen, [start, end]: Span): string => text.slice(start, end)

const onBytes: readonly Change[] = [
  function flip({ text }, random) {
    const at = random.integers(0, text.length || 1)
    const flipped = String.fromCharCode((text.charCodeAt(at) || 0) ^ (1 << random.integers(0, 8)))
    return replace(text, [at, at + 1], flipped)
  },
  function write({ text }, random) {
    const at = random.integers(0, text.length || 1)
    return replace(text, [at, at + 1], String.fromCharCode(random.integers(0, 256)))
  },
  function insert({ text }, random) {
    const at = random.integers(0, text.length + 1)
    return replace(text, [at, at], pick(random, ODD_BYTES, ''))
  },
  (specimen, random) => replace(specimen.text, spanIn(specimen, random), ''),
  function duplicate(specimen, random) {
    const span = spanIn(specimen, random)
    return replace(specimen.text, [span[1], span[1]], cut(specimen, span))
  },
  (specimen, random, other) =>
    replace(specimen.text, spanIn(specimen, random), cut(other, spanIn(other, random))),
  ({ text }, random) => text.slice(0, random.integers(0, text.length + 1)),
]

function bomb({ text, values }: Specimen, random: Generator): string {
  return replace(text, pick(random, values, NOWHERE), pick(random, BOMBS, ''))
}

const onJson: readonly Change[] = [
  ({ text, values }, random) =>
    replace(text, pick(random, values, NOWHERE), pick(random, ODD_VALUES, '')),
  function exchange(specimen, random, other) {
    const replacement = cut(other, pick(random, other.values, NOWHERE))
    return replace(specimen.text, pick(random, specimen.values, NOWHERE), replacement)
  },
  function nest(specimen, random) {
    const span = pick(random, specimen.values, NOWHERE)
    const depth = 2 ** random.integers(0, 8)
    const [open, close] = random.integers(0, 2) === 0 ? ['[', ']'] : ['{"a":', '}']
    const nested = open?.repeat(depth) + cut(specimen, span) + close?.repeat(depth)
    return replace(specimen.text, span, nested)
  },
  function repeat(specimen, random) {
    const span = pick(random, specimen.values, NOWHERE)
    const again = `,${cut(specimen, span)}`.repeat(2 ** random.integers(0, 6))
    return replace(specimen.text, [span[1], span[1]], again)
  },
  function forget(specimen, random) {
    const [start, end] = pick(random, specimen.members, NOWHERE)
    const comma = specimen.text[end] === ',' ? 1 : 0
    return replace(specimen.text, [start, end + comma], '')
  },
  function double(specimen, random) {
    const span = pick(random, specimen.members, NOWHERE)
    return replace(specimen.text, [span[0], span[0]], `${cut(specimen, span)},`)
  },
  function adopt(specimen, random, other) {
    const [start] = pick(random, specimen.members, NOWHERE)
    const theirs = cut(other, pick(random, other.members, NOWHERE))
    const member = random.integers(0, 2) === 0 ? theirs : pick(random, ODD_MEMBERS, '')
    return replace(specimen.text, [start, start], `${member},`)
  },
]

/** Returns the text of a specimen of the pool with one or more changes of bytes or JSON parts. */
export function mutate(pool: readonly Specimen[], random: Generator): string {
  let specimen = pick(random, pool, NOTHING)
  for (;;) {
    const isJson = specimen.values.length > 1 && random.integers(0, 3) > 0
    const change = pick(random, isJson ? onJson : onBytes, bomb)
    const isBomb = random.integers(0, BOMB_ODDS) === 0
    const text = (isBomb ? bomb : change)(specimen, random, pick(random, pool, NOTHING))
    if (random.integers(0, 3) > 0) return text
    specimen = text.length < 4096 ? specimenOf(text) : { ...NOTHING, text }
  }
}
