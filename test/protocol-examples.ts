import {
  checkBlock,
  hashCommitment,
  LIMITS,
  NO_BLOCK,
  readBlock,
  type Scope,
  verifyLane,
} from '../packages/blocks/src/index.ts'
import {
  account,
  type Commitment,
  decodeAddress,
  encodeCommitment,
  verify,
} from '../packages/chain/src/index.ts'
import { areApart } from '../packages/duel/src/environment-judgement.ts'
import {
  digestContent,
  encodeBitmap,
  findWinner,
  firstState,
  judgeEnvironment,
  LOCAL,
  orderQueue,
  PROTOCOL,
  stateRoot,
  type Verdict,
} from '../packages/duel/src/index.ts'
import { scored } from '../packages/duel/test/subnet.ts'
import { encodeId } from '../packages/envs/src/challenge.ts'
import { goldenEpisode } from '../packages/envs/src/golden.ts'
import {
  type ChallengeParts,
  challengeId,
  deriveSeed,
  extractAnswer,
  make,
  normalise,
  play,
  solvedGame,
  specHash,
} from '../packages/envs/src/index.ts'
import {
  canonicalize,
  digest,
  type Json,
  parseCanonical,
  pcg64,
  seedWords,
} from '../packages/prng/src/index.ts'
import { evaluate, holdLine, type InterimResult, type Rule } from '../packages/wilson/src/index.ts'
import { games } from './protocol-games.ts'
import { MAIN, onPage } from './protocol-page.ts'
import {
  decimal,
  deviations,
  entries,
  mapped,
  numbers,
  type Pair,
  sides,
} from './protocol-story.ts'

const PPM = 1_000_000n
const bytes = (text: string) => new TextEncoder().encode(text)
const hex = (data: Uint8Array) => Buffer.from(data).toString('hex')

/** Functions that compute the `out` of each example of docs/protocol.md from its `in`, by name. */
export const examples: Readonly<Record<string, (input: never) => unknown>> = {
  'canonical text': (value: Json) => canonicalize(value),
  'refused texts': (kinds: Readonly<Record<string, readonly string[]>>) =>
    mapped(kinds, (texts) =>
      [...new Set(texts.map((text) => codeOf(parseCanonical(text))))].join(),
    ),
  digest: ({ tag, fields }: { tag: string; fields: Json[] }) => ({
    text: canonicalize(['affine/1', tag, ...fields]),
    hash: digest(tag, ...fields),
  }),
  keys: (seeds: Readonly<Record<string, string>>) =>
    mapped(seeds, (seed) => {
      const { hotkey } = account(Buffer.from(seed, 'hex'))
      return { publicKey: hex(decodeAddress(hotkey) ?? new Uint8Array()), hotkey }
    }),
  stream: ({ seed, draws }: { seed: number; draws: readonly string[] }) => {
    const random = pcg64(seed)
    const words = [...seedWords(seed)]
    return { words, draws: draws.map((call) => drawn(random, call)) }
  },
  normalise: (texts: readonly string[]) => texts.map(normalise),
  answers: (texts: readonly string[]) => texts.map(extractAnswer),
  'tictactoe starts': () => {
    const codes = startingCodes()
    return { count: codes.length, first: codes.slice(0, 3), last: codes.at(-1) }
  },
  'tictactoe episode': async ({ id, replies }: { id: string; replies: readonly string[] }) => {
    const index = pcg64(deriveSeed(id)).integers(0, 3191)
    const { messages, reward } = await playScript('tictactoe@0.1.0', id, replies)
    const boards = messages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => boardIn(content))
    return { seed: String(deriveSeed(id)), index, code: startingCodes()[index], boards, reward }
  },
  'mult8 episode': async ({ id, replies }: { id: string; replies: readonly string[] }) => {
    const { messages, reward } = await playScript('mult8@0.1.0', id, replies)
    return { messages: messages.map(({ content }) => content), reward }
  },
  ...games,
  'golden episode': ({ env, index }: { env: string; index: number }) => ({
    challengeId: encodeId(digest('golden', env, index)),
    kinds: [pcg64(index).integers(0, 16)],
    episode: goldenEpisode(make(env).spec, index),
  }),
  specHash: (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, specHash(id)])),
  ids: ({ game, ...parts }: Ids) => {
    const idOf = (place: Ids['game']): string => {
      const specHash = PROTOCOL.envs[place.env]?.specHash ?? ''
      return challengeId({ ...parts, ...place, specHash })
    }
    const challenge = idOf(parts)
    return {
      commitment: hashCommitment(parts),
      challenge,
      game: idOf(game),
      'digest("seed", challenge)': digest('seed', challenge),
      seed: String(deriveSeed(challenge)),
    }
  },
  'commitment fields': (commitments: readonly (Commitment & { bitmap?: string })[]) =>
    commitments.map(({ bitmap, ...rest }) =>
      encodeCommitment({
        ...rest,
        ...(bitmap && { bitmap: Buffer.from(bitmap, 'hex') }),
      } as Commitment).map(hex),
    ),
  bitmap: ({ voters, whole }: { voters: readonly string[]; whole: readonly string[] }) => {
    const weights = Object.fromEntries(voters.map((hotkey) => [hotkey, 1]))
    return hex(encodeBitmap(weights, new Set(whole)))
  },
  limits: () => LIMITS,
  'one environment': ({ rule, ratio, analyses }: EvaluationExample) => {
    const { zSquaredPpm, holdOffset, holdSlopePpm } = rule
    return analyses.map(([wins, trials]) => {
      const given = evaluate({ wins, trials, ratioPpm: ratio, rule })
      const both = sides(BigInt(wins), BigInt(trials), 1n, ratio, zSquaredPpm)
      const isAbove = wins * 1_000_000 >= trials * ratio
      const offset = BigInt(holdOffset * ratio) * (PPM - BigInt(ratio))
      const line = [
        decimal(BigInt(wins) * PPM ** 2n + offset, PPM ** 2n),
        decimal(BigInt((ratio + holdSlopePpm) * trials), PPM),
      ]
      return { wins, trials, [isAbove ? 'win' : 'below']: both, line, given }
    })
  },
  outliers: (pairs: readonly { lane: Pair; median: Pair }[]) =>
    pairs.map(({ lane: [x, q], median: [y, r] }) => {
      const tallies = {
        l: scored({ wins: x, losses: 0, played: q }),
        m: scored({ wins: y, losses: 0, played: r }),
      }
      const { setAside } = judgeEnvironment({
        weights: { l: 1, m: 2 },
        epochs: [tallies],
        ratioPpm: 510_000,
        rule: PROTOCOL,
      })
      return {
        left: (x * r - y * q) ** 2 * (q + r),
        right: 36 * q * r * (x + y) * (q + r - x - y),
        aside: setAside.includes('l'),
      }
    }),
  'one environment of four lanes': ({ weights, lanes, ratio }: FourLanes) => {
    const tallies = mapped(lanes, ([wins, losses, played]) => scored({ wins, losses, played }))
    const seen = { weights, epochs: [tallies], ratioPpm: ratio, rule: PROTOCOL }
    const { setAside, win, hold, score, interimResult } = judgeEnvironment(seen)
    const { trials, unit } = hold
    const line = holdLine({ trials, unit, ratioPpm: ratio, rule: PROTOCOL })
    const counted = { aside: setAside, win: numbers(win), score: deviations(score) }
    return { ...counted, hold: numbers(hold), line: Number(line), given: interimResult }
  },
  outcomes: (lists: readonly (readonly (Verdict | InterimResult)[])[]) =>
    lists.map((list) => findWinner(Object.fromEntries(list.entries()), PROTOCOL.margin) ?? 'open'),
  apart: (pairs: readonly { one: Pair; other: Pair }[]) =>
    pairs.map(({ one: [x, q], other: [y, r] }) => {
      const [X, q1, Y, r1] = [BigInt(x), BigInt(q), BigInt(y), BigInt(r)]
      const shares = [
        { count: X, played: q1 },
        { count: Y, played: r1 },
      ] as const
      return {
        left: String((X * r1 - Y * q1) ** 2n * (q1 + r1)),
        right: String(4n * q1 * r1 * (X + Y) * (PPM * (q1 + r1) - X - Y)),
        apart: areApart(...shares, { zSquared: 4, unit: PPM }),
      }
    }),
  queue: ({ champion, contenders, miners }: Waiting) => {
    const named = (hotkey: string) => ({ hotkey, model: hotkey, revision: 'main', chute: hotkey })
    const duel = { start: 1, tallies: [], verdicts: {} }
    const candidates = entries(miners).map(([hotkey, { block, registered }]) => {
      return { ...named(hotkey), block, registered }
    })
    const played = entries(miners).filter(([, { left }]) => left !== undefined)
    const lastPlayed = played.map(([hotkey, { left = 0, same = false }]) => {
      const content = same ? digestContent(named(hotkey)) : digest('another')
      return [hotkey, { content, left }] as const
    })
    const duels = contenders.map((hotkey) => ({ ...duel, contender: named(hotkey) }))
    const state = { champion: named(champion), duels, lastPlayed: Object.fromEntries(lastPlayed) }
    const hotkeys = Object.keys(miners)
    const facts = { epoch: 2, protocol: PROTOCOL, hotkeys, validators: [], miners: candidates }
    const queue = orderQueue(state, facts)
    return queue.map(({ hotkey }) => hotkey)
  },
  'first state': () => ({ state: firstState(MAIN, 0), root: stateRoot(firstState(MAIN, 0)) }),
  'local constants': () => ({
    ...pickDifferences(LOCAL, PROTOCOL),
    envs: mapped(pickDifferences(onPage(LOCAL.envs), MAIN.envs), ({ quotaFirst, quotaMost }) => {
      return { quotaFirst, quotaMost }
    }),
  }),
}

/** Returns the members of `one` that differ from those of `other`. */
function pickDifferences<T extends object>(one: T, other: T): { [K in keyof T]: T[K] } {
  const differs = (key: string) =>
    JSON.stringify(one[key as keyof T]) !== JSON.stringify(other[key as keyof T])
  return Object.fromEntries(Object.entries(one).filter(([key]) => differs(key))) as T
}

/** Lanes as wins, losses and challenges played, by validator. */
interface FourLanes {
  readonly weights: Readonly<Record<string, number>>
  readonly lanes: Readonly<Record<string, readonly [number, number, number]>>
  readonly ratio: number
}

/**
 * Miners by hotkey. `left` is the block in which the last duel or term ended, `same` whether the
 * commitment is unchanged.
 */
interface Waiting {
  readonly champion: string
  readonly contenders: readonly string[]
  readonly miners: Readonly<
    Record<string, { block: number; registered: number; left?: number; same?: boolean }>
  >
}

type IdParts = Omit<ChallengeParts, 'specHash'>
type Ids = IdParts & { readonly game: Pick<IdParts, 'env' | 'index' | 'contender'> }
interface EvaluationExample {
  readonly rule: Omit<Rule, 'zSquaredPpm'> & { readonly zSquaredPpm: number }
  readonly ratio: number
  readonly analyses: readonly Pair[]
}

const codeOf = (result: { ok: true } | { ok: false; code: string }) =>
  result.ok ? 'fine' : result.code

/** Draws the value of a call such as `integers(0, 6)`. */
function drawn(random: ReturnType<typeof pcg64>, call: string): unknown {
  const [name, ...words] = call.split(/[(), ]+/)
  const [low = 0, high = 0] = words.map(Number)
  if (name === 'integers') return random.integers(low, high)
  if (name === 'uint64') return String(random.uint64())
  return name === 'uint32' ? random.uint32() : random.random()
}

function playScript(env: string, id: string, replies: readonly string[]) {
  const left = [...replies]
  return play(make(env), id, () => ({ content: left.shift() ?? '' }))
}

/** Returns the codes of the possible first boards of tic-tac-toe, ascending. */
const startingCodes = () =>
  solvedGame().starts.map(({ board }) => Number.parseInt(board.join(''), 3))

const boardIn = (prompt: string) =>
  [...prompt.matchAll(/^[ABC] ([.XO]) ([.XO]) ([.XO])$/gm)].flatMap((row) => row.slice(1)).join('')

/** Reads the page's block and verifies it as a lane. */
export async function readExample(text: string, scope: Scope) {
  const block = readBlock(bytes(text), { verify })
  if (!block.ok) return block
  const { hash, header } = block.value
  const lane = await verifyLane({
    head: hash,
    previous: NO_BLOCK,
    scope,
    read: async (wanted) => checkBlock(bytes(text), { ...wanted, verify }),
  })
  return { hash, root: header.root, tallies: lane.ok ? lane.value.tallies : lane }
}
