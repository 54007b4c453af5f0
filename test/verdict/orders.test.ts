import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  BucketFailure,
  type BucketFailureFacts,
  blockPath,
  LIMITS,
  type Sample,
  statePath,
} from '../../packages/blocks/src/index.ts'
import { type State, stateRoot } from '../../packages/duel/src/index.ts'
import { withQuota } from '../../packages/duel/test/subnet.ts'
import type { Generator } from '../../packages/prng/src/index.ts'
import { type OpenBucket, sealBlock } from '../../packages/settlement/src/index.ts'
import {
  accountOf,
  FIRST_DUEL,
  hotkeys,
  network,
  ReadingSubnet,
  type Written,
} from '../attacks/reading-subnet.ts'
import { pick, streamOf } from '../simulate/draw.ts'

/** Samples in a full block while these tests run. */
const BLOCK_SAMPLES = 8
/** Rules by which a lane has a full block and two more samples. */
const LONG = {
  ...network,
  protocol: withQuota(network.protocol, BLOCK_SAMPLES / 2 + 1),
}

/** Bucket failures. Their report must not depend on their order. */
const FAILURES: readonly BucketFailureFacts[] = [
  { code: 'status', status: 403, reason: 'AccessDenied' },
  { code: 'body', reason: 'incorrect header check' },
  { code: 'late', reason: 'timed out' },
]

/** A sealed block, a version with another time, and a version with another signature. */
interface SealedBlock extends Written {
  readonly others: readonly Uint8Array[]
}

/** Files of buckets by address and path. An error is thrown when its path is read. */
type Answers = Map<string, Uint8Array | Error>

/**
 * An epoch of five lanes of two blocks, one lane void. Each voter attests a random choice of lanes.
 */
class History extends ReadingSubnet {
  readonly blocks: SealedBlock[] = []
  /** The state that governs the epoch. */
  state!: State
  readonly #random: Generator

  constructor(seed: number) {
    super([100, 100, 100, 100, 100], 0, LONG)
    this.#random = streamOf(seed, 'history')
  }

  async make(): Promise<this> {
    const state = await this.begin()
    this.state = state
    for (const [i, voter] of this.voters.entries()) {
      const isVoid = i === 0
      const alter = (samples: readonly Sample[]) =>
        samples.map((sample) => (isVoid ? { ...sample, reward: 1 } : sample))
      const blocks = await this.blocksOf(voter, state, { alter })
      const late = await this.blocksOf(voter, state, { alter, header: { time: 1 } })
      const again = await this.blocksOf(accountOf(i + 1, 1), state, { alter })
      for (const [height, block] of blocks.entries()) {
        this.put(block)
        const others = [late, again].flatMap((versions) => versions[height]?.bytes ?? [])
        this.blocks.push({ ...block, others })
      }
      await this.seal(voter, state, blocks.at(-1)?.hash ?? '')
    }
    await this.produceTo(sealBlock(state.epoch, this.network.protocol))
    const all = hotkeys(this.voters)
    for (const voter of this.voters) {
      const whole = all.filter(() => this.#random.integers(0, 5) > 0)
      await this.attest(voter, state, whole)
    }
    await this.end(state)
    this.publish(state)
    const [epoch] = await this.recompute({ from: state, compare: false })
    if (epoch) this.publish(epoch.state)
    return this
  }

  /** Returns the answers of its buckets after some random mutations. */
  mutated(random: Generator): Answers {
    const answers: Answers = new Map(this.buckets.files())
    for (let left = random.integers(1, 7); left > 0; left--) this.#mutate(answers, random)
    return answers
  }

  #mutate(answers: Answers, random: Generator): void {
    const bucket = pick(this.voters, random).hotkey
    const block = pick(this.blocks, random)
    const path = `${bucket}/${blockPath(block.hash)}`
    const failure = new BucketFailure('read it', pick(FAILURES, random))
    const isOfBucket = (each: string): boolean => each.startsWith(`${bucket}/`)
    const failWhere = (isFailing: (path: string) => boolean) => (): void => {
      for (const each of answers.keys()) if (isFailing(each)) answers.set(each, failure)
    }
    const first = 2 * hotkeys(this.voters).indexOf(bucket)
    const own = this.blocks.slice(first, first + 2)
    const ownPaths = own.map(({ hash }) => `${bucket}/${blockPath(hash)}`)
    const at = random.integers(0, block.bytes.length)
    const flipped = block.bytes.map((byte, i) => (i === at ? byte ^ 1 : byte))
    const mutations = [
      () => answers.set(path, flipped),
      () => answers.set(path, block.bytes.slice(0, at)),
      ...block.others.map((bytes) => () => answers.set(path, bytes)),
      () => answers.set(path, failure),
      () => answers.delete(path),
      failWhere(isOfBucket),
      failWhere((each) => ownPaths.includes(each)),
      failWhere((each) => isOfBucket(each) && each.includes('/states/')),
      () => answers.set(`${bucket}/${statePath(FIRST_DUEL)}`, block.bytes),
      () => {
        for (const { hotkey } of this.voters) answers.delete(`${hotkey}/${blockPath(block.hash)}`)
      },
    ]
    pick(mutations, random)()
  }
}

/** Returns buckets that answer in a random order by seed, failures mostly late. */
function bucketsOf(answers: Answers, order: number): OpenBucket {
  const random = streamOf(order, 'order')
  return (hotkey, url) => ({
    name: hotkey,
    read: async (path) => {
      const answer = answers.get(`${url}/${path}`) ?? null
      const most = answer instanceof Error ? 60 : 12
      for (let turns = random.integers(0, most); turns > 0; turns--) await nextTurn()
      if (answer instanceof Error) throw answer
      return answer
    },
  })
}

/**
 * Recomputes a history. Resolves with all findings, decisions and samples, from which af-verify
 * would print its report.
 */
async function verdictOf(
  history: History,
  openBucket: OpenBucket,
  lanesAtOnce: number,
): Promise<object> {
  const shown: string[] = []
  const epochs = await history
    .recompute({
      from: history.state,
      openBucket,
      lanesAtOnce,
      onSample: ({ index }, { validator }) => shown.push(`${validator} ${index}`),
    })
    .catch((error: Error) => error.message)
  if (typeof epochs === 'string') return { error: epochs }
  const decided = epochs.map(({ flaws, warnings, state, report }) => {
    return { flaws, warnings, root: stateRoot(state), lanes: report.lanes }
  })
  return { decided, shown }
}

/** The number of mutated histories, and the number of subnets whose histories are mutated. */
const HISTORIES = Number(process.env.HISTORIES ?? 12)
const SUBNETS = 2

const { blockSamples } = LIMITS
beforeAll(() => void Object.assign(LIMITS, { blockSamples: BLOCK_SAMPLES }))
afterAll(() => Object.assign(LIMITS, { blockSamples }))

/** The codes of all flaws found. */
const codes = new Set<string>()

test.each(Array.from({ length: SUBNETS }, (_, i) => i))(
  'finds the same flaws in any order of answers, with one or nine concurrent lanes: subnet %i',
  async (which) => {
    const subnet = await new History(which).make()
    for (let seed = which; seed < HISTORIES; seed += SUBNETS) {
      const answers = subnet.mutated(streamOf(seed, 'mutations'))
      const alone = await verdictOf(subnet, bucketsOf(answers, seed), 1)
      if ('error' in alone) codes.add('nothing decided')
      for (const code of JSON.stringify(alone).matchAll(/"code":"(\w+)"/g)) codes.add(code[1] ?? '')
      for (const lanesAtOnce of [1, 9]) {
        const buckets = bucketsOf(answers, seed + 1000 * lanesAtOnce)
        const together = await verdictOf(subnet, buckets, lanesAtOnce)
        expect(together, `history ${seed}, ${lanesAtOnce} lanes at once`).toEqual(alone)
      }
    }
  },
)

test('mutates histories so that some are undecided and all five flaws below are found', () => {
  const expected = [
    'nothing decided',
    'COPY_MISSING',
    'SIGNED_TWICE',
    'STATE_DIFFERS',
    'STATE_MISSING',
    'WRONG_REWARD',
  ]
  expect([...codes]).toEqual(expect.arrayContaining(expected))
})
