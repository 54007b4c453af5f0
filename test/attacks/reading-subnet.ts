import {
  blockPath,
  challengeVerdict,
  commitmentOf,
  NO_BLOCK,
  type Sample,
  writeBlock,
} from '../../packages/blocks/src/index.ts'
import {
  type Account,
  account,
  type Commitment,
  encodeCommitment,
  type Head,
  LocalChain,
} from '../../packages/chain/src/index.ts'
import {
  encodeBitmap,
  firstState,
  LOCAL,
  type State,
  stateRoot,
} from '../../packages/duel/src/index.ts'
import { challengeId, make, play, specHash } from '../../packages/envs/src/index.ts'
import {
  type Holder,
  LOCAL_NETWORK,
  laneScope,
  type OpenBucket,
  type Recomputed,
  type RecomputeOptions,
  recompute,
  sealBlock,
  settleEpoch,
  snapshotBlock,
} from '../../packages/settlement/src/index.ts'

const NETUID = 120
const THRESHOLD = 1_000_000_000_000n
const SECRET = '5e'.repeat(32)
const ENV = 'mult8@0.1.0'
const envs = { [ENV]: specHash(ENV) }
/** Two challenges a lane, so that a lane is quickly made. */
export const network = {
  ...LOCAL_NETWORK,
  protocol: { ...LOCAL, envs, quotaFirst: 2, quotaMost: 2 },
}
const { protocol } = network

/** One hotkey for each scalar; its signatures depend on the nonce. */
export function accountOf(scalar: number, nonce = 0): Account {
  const secret = new Uint8Array(64).fill(nonce, 32)
  new DataView(secret.buffer).setUint16(0, 8 * scalar, true)
  return account(secret)
}

const [champion, contender] = [accountOf(101), accountOf(102)]

/** What a bucket does when it is read. */
type Behaviour = 'serves' | 'fails'

interface Bucket {
  readonly files: Map<string, Uint8Array>
  behaviour: Behaviour
}

/** Buckets in memory, which count what is asked of them. One that fails stands for a time limit. */
class Buckets {
  readonly #buckets = new Map<string, Bucket>()
  readonly reads: (readonly [url: string, path: string])[] = []

  at(url: string): Bucket {
    const bucket = this.#buckets.get(url) ?? { files: new Map(), behaviour: 'serves' }
    this.#buckets.set(url, bucket)
    return bucket
  }

  readonly open: OpenBucket = (hotkey, url) => {
    if (url.startsWith('nowhere')) return null
    const read = async (path: string): Promise<Uint8Array | null> => {
      this.reads.push([url, path])
      const { files, behaviour } = this.at(url)
      if (behaviour === 'fails') throw new Error('timed out')
      return files.get(path) ?? null
    }
    return { name: hotkey, read }
  }

  readsOf(url: string): readonly string[] {
    return this.reads.flatMap(([asked, path]) => (asked === url ? [path] : []))
  }
}

/**
 * A chain of voters with these stakes, in thresholds, two miners, and strangers; at the end of its
 * first epoch, with the duel of the next.
 */
export class ReadingSubnet {
  readonly chain: LocalChain
  readonly buckets = new Buckets()
  readonly voters: readonly Account[]
  readonly strangers: readonly Account[]
  /** Is told of every block; the next one waits for it. */
  hear: (head: Head) => Promise<void> | void = () => {}

  constructor(stakes: readonly number[], strangers = 0) {
    this.voters = stakes.map((_, i) => accountOf(i + 1))
    this.strangers = Array.from({ length: strangers }, (_, i) => accountOf(50 + i))
    const all = [...this.voters, ...this.strangers, champion, contender]
    let drawn = 0
    this.chain = LocalChain.create({
      netuid: NETUID,
      random: () => new Uint8Array(32).fill(drawn++),
      neurons: all.map(({ hotkey }, i) => ({ hotkey, stake: THRESHOLD * BigInt(stakes[i] ?? 0) })),
      params: { tempo: protocol.epochBlocks },
    })
  }

  async produceTo(block: number): Promise<void> {
    while (this.chain.height < block) await this.hear(await this.chain.produce(0))
  }

  async commit(who: Account, commitment: Commitment): Promise<void> {
    const included = this.chain.commit(who, encodeCommitment(commitment))
    await this.hear(await this.chain.produce(0))
    await included
  }

  /** The first epoch, attested by these voters: the state of the next. */
  async begin(attesting: readonly Account[] = this.voters): Promise<State> {
    for (const { hotkey } of [champion, contender]) {
      const who = hotkey === champion.hotkey ? champion : contender
      await this.commit(who, { kind: 'miner', model: `m-${hotkey}`, revision: 'r', chute: 'c' })
    }
    const start = firstState(protocol, 0)
    for (const voter of attesting) await this.attest(voter, start, [])
    await this.produceTo(snapshotBlock(1, protocol) + 1)
    const find = () => Promise.reject(new Error('nobody was due'))
    return (await settleEpoch({ chain: this.chain, network }, start, { find })).state
  }

  /** Attests the lanes of `whole`; with a bucket by its hotkey, or at `url`. */
  async attest(
    who: Account,
    state: State,
    whole: readonly string[],
    url: string = who.hotkey,
  ): Promise<void> {
    const { epoch, duel } = state
    const place = { genesis: this.chain.genesis, netuid: NETUID, validator: who.hotkey }
    await this.commit(who, {
      kind: 'attest',
      epoch,
      bitmap: encodeBitmap(duel ?? { weights: {} }, new Set(whole)),
      next: commitmentOf({ ...place, epoch: epoch + 1, secret: SECRET }),
      stateRoot: stateRoot(state),
      url,
    })
  }

  /** Seals `head`; with a bucket by its hotkey, or at `url`. */
  seal(who: Account, state: State, head: string, url: string = who.hotkey): Promise<void> {
    return this.commit(who, { kind: 'seal', epoch: state.epoch, head, url })
  }

  /** A whole lane of `who`, in one block. */
  async lane(who: Account, state: State, time = 0): Promise<{ hash: string; bytes: Uint8Array }> {
    const scope = await laneScope(this.chain, state, who.hotkey)
    if (scope === null) throw new Error(`${who.hotkey} is not due`)
    const samples: Sample[] = []
    for (let index = 0; index < 2; index++) {
      const duel = scope.duel.id
      const parts = { ...scope, env: ENV, specHash: envs[ENV] ?? '', duel, secret: SECRET, index }
      const id = challengeId(parts)
      const lost = await play(make(ENV), id, () => ({ fault: 'no-reply' }))
      const sides = {
        champion: { miner: champion.hotkey, ms: 0, ...lost },
        contender: { miner: contender.hotkey, ms: 0, ...lost },
      }
      const verdict = challengeVerdict(sides)
      samples.push({ env: ENV, duel, index, challengeId: id, ...sides, verdict })
    }
    const { genesis, netuid, validator, epoch } = scope
    const place = { genesis, netuid, validator, epoch, height: 0, prev: NO_BLOCK, time }
    return writeBlock({ ...place, secret: SECRET, samples, sign: who.sign })
  }

  /** Puts a block into the buckets of these addresses. */
  put(block: { hash: string; bytes: Uint8Array }, urls: readonly string[]): void {
    for (const url of urls) this.buckets.at(url).files.set(blockPath(block.hash), block.bytes)
  }

  /**
   * Every one of `who` seals a whole lane, which all voters' buckets hold; the chain has come to
   * the seal block.
   */
  async sealAll(state: State, who: readonly Account[] = this.voters): Promise<void> {
    for (const voter of who) {
      const block = await this.lane(voter, state)
      this.put(
        block,
        this.voters.map(({ hotkey }) => hotkey),
      )
      await this.seal(voter, state, block.hash)
    }
    await this.produceTo(sealBlock(state.epoch, protocol))
  }

  /** Ends the epoch that `state` governs. */
  end(state: State): Promise<void> {
    return this.produceTo(snapshotBlock(state.epoch + 1, protocol))
  }

  /** Every epoch, recomputed; reads are counted from here on. */
  async recompute(options: Partial<RecomputeOptions> = {}): Promise<readonly Recomputed[]> {
    const { chain, buckets } = this
    buckets.reads.length = 0
    const epochs: Recomputed[] = []
    const data = { chain, network, openBucket: buckets.open, ...options }
    for await (const epoch of recompute(data)) epochs.push(epoch)
    return epochs
  }
}

/** What was found wrong, and with whom. */
export const flawsOf = (epochs: readonly Recomputed[]): readonly string[] =>
  epochs.flatMap(({ flaws }) => flaws.map(({ validator, code }) => `${code} ${validator}`))

export const hotkeys = (accounts: readonly (Account | Holder)[]): readonly string[] =>
  accounts.map(({ hotkey }) => hotkey)
