import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  BucketFailure,
  type BucketFailureFacts,
  blockPath,
  type Sample,
  statePath,
} from '../../packages/blocks/src/index.ts'
import type { Account } from '../../packages/chain/src/index.ts'
import { type State, stateRoot } from '../../packages/duel/src/index.ts'
import { withQuota } from '../../packages/duel/test/subnet.ts'
import type { Generator } from '../../packages/prng/src/index.ts'
import { type OpenBucket, sealBlock } from '../../packages/settlement/src/index.ts'
import {
  accountOf,
  FIRST_DUEL,
  hotkeys,
  type LanePlan,
  network,
  ReadingSubnet,
  type Written,
} from '../attacks/reading-subnet.ts'
import { pick, streamOf } from '../simulate/draw.ts'

/** Samples in a full block while these tests run. */
export const BLOCK_SAMPLES = 8
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

/** A sealed block, and two other versions of it that its validator signed. */
interface SealedBlock extends Written {
  readonly otherTime: Uint8Array
  readonly otherSignature: Uint8Array
}

/** Answers of buckets by address and path. Errors are thrown; other paths have no file. */
export type Answers = Map<string, Uint8Array | Error>

/**
 * An epoch of five lanes of two blocks, one lane void. Each voter attests a random choice of lanes.
 */
export class History extends ReadingSubnet {
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
      const lie = (samples: readonly Sample[]) =>
        samples.map((sample) => (isVoid ? { ...sample, reward: 1 } : sample))
      const first = await this.#block(voter, {
        alter: (samples) => lie(samples.slice(0, BLOCK_SAMPLES)),
        header: { secret: undefined },
      })
      const last = await this.#block(voter, {
        alter: (samples) => samples.slice(BLOCK_SAMPLES),
        header: { height: 1, prev: first.hash },
      })
      this.blocks.push(first, last)
      await this.seal(voter, state, last.hash)
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

  async #block(voter: Account, plan: LanePlan): Promise<SealedBlock> {
    const again = accountOf(this.voters.indexOf(voter) + 1, 1)
    const block = await this.lane(voter, this.state, plan)
    this.put(block)
    const late = { ...plan, header: { ...plan.header, time: 1 } }
    const { bytes: otherTime } = await this.lane(voter, this.state, late)
    const { bytes: otherSignature } = await this.lane(again, this.state, plan)
    return { ...block, otherTime, otherSignature }
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
    const own = new Set(this.blocks.slice(2 * hotkeys(this.voters).indexOf(bucket)).slice(0, 2))
    const ownPaths = [...own].map(({ hash }) => `${bucket}/${blockPath(hash)}`)
    const at = random.integers(0, block.bytes.length)
    const mutations = [
      () =>
        answers.set(
          path,
          block.bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)),
        ),
      () => answers.set(path, block.bytes.slice(0, at)),
      () => answers.set(path, block.otherTime),
      () => answers.set(path, block.otherSignature),
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
export function bucketsOf(answers: Answers, order: number): OpenBucket {
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
export async function verdictOf(
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
