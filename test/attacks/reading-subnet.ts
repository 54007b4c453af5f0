import {
  BucketFailure,
  blockPath,
  type Header,
  hashCommitment,
  LIMITS,
  NO_BLOCK,
  planLane,
  type Sample,
  statePath,
  writeBlock,
} from '../../packages/blocks/src/index.ts'
import { playPlan } from '../../packages/blocks/test/play-plan.ts'
import {
  type Account,
  account,
  type Commitment,
  encodeCommitment,
  type Head,
  LocalChain,
} from '../../packages/chain/src/index.ts'
import {
  computeQuotas,
  encodeBitmap,
  encodeState,
  LOCAL,
  type State,
  stateRoot,
} from '../../packages/duel/src/index.ts'
import { constantsOf, withQuota } from '../../packages/duel/test/subnet.ts'
import {
  beaconBlock,
  createFirstState,
  decideEpoch,
  type Holder,
  LOCAL_NETWORK,
  laneScope,
  type Network,
  type OpenBucket,
  type RecomputedEpoch,
  type RecomputeOptions,
  recompute,
  type Source,
  sealBlock,
  snapshotBlock,
} from '../../packages/settlement/src/index.ts'
import { Clock } from '../simulate/clock.ts'

const NETUID = 120
/**
 * The first epoch with duels. The network's first epoch has no voters, and its second no champion.
 */
export const FIRST_DUEL = 2
const THRESHOLD = 1_000_000_000_000n
const SECRET = '5e'.repeat(32)
const ENV = 'mult8@0.1.0'
const envs = { [ENV]: constantsOf(ENV) }
/** Rules with two challenges a lane, so that writing a lane is fast. */
export const network: Network = {
  ...LOCAL_NETWORK,
  protocol: withQuota({ ...LOCAL, envs }, 2),
}

/** Signatures by secret and message. They are deterministic, and take 3 ms each. */
const signatures = new Map<string, Uint8Array>()

/** Returns the account of a private scalar. Only its signatures, not its hotkey, follow `nonce`. */
export function accountOf(scalar: number, nonce = 0): Account {
  const secret = new Uint8Array(64).fill(nonce, 32)
  new DataView(secret.buffer).setUint16(0, 8 * scalar, true)
  const own = account(secret)
  const sign: Account['sign'] = (message) => {
    const name = `${scalar} ${nonce} ${Buffer.from(message).toString('hex')}`
    const signature = signatures.get(name) ?? own.sign(message)
    signatures.set(name, signature)
    return signature
  }
  return { ...own, sign }
}

export const champion: Account = accountOf(101)
export const contender: Account = accountOf(102)

interface Bucket {
  readonly files: Map<string, Uint8Array>
  behaviour: 'serves' | 'fails'
  /** Duration of each answer in milliseconds. */
  ms: number
}

/** Buckets in memory that record their reads. A bucket that fails reports a timeout. */
class Buckets {
  readonly clock: Clock = new Clock()
  readonly #buckets = new Map<string, Bucket>()
  readonly reads: (readonly [url: string, path: string])[] = []

  at(url: string): Bucket {
    const bucket = this.#buckets.get(url) ?? { files: new Map(), behaviour: 'serves', ms: 0 }
    this.#buckets.set(url, bucket)
    return bucket
  }

  readonly open: OpenBucket = (hotkey, url) => {
    if (url.startsWith('nowhere')) return null
    const read = async (path: string): Promise<Uint8Array | null> => {
      this.reads.push([url, path])
      const { files, behaviour, ms } = this.at(url)
      if (ms > 0) await this.clock.sleep(ms)
      if (behaviour === 'fails')
        throw new BucketFailure(`read ${path}`, { code: 'late', reason: 'timed out' })
      return files.get(path) ?? null
    }
    return { name: hotkey, read }
  }

  /** Like `open`, except that `read` answers for the buckets of `who`. `own` reads the bucket. */
  openWith(
    who: readonly string[],
    read: (own: Source['read'], ...args: Parameters<Source['read']>) => ReturnType<Source['read']>,
  ): OpenBucket {
    return (hotkey, url) => {
      const source = this.open(hotkey, url)
      if (source === null || !who.includes(hotkey)) return source
      return { ...source, read: (...args) => read(source.read, ...args) }
    }
  }

  readsOf(url: string): readonly string[] {
    return this.reads.flatMap(([readUrl, path]) => (readUrl === url ? [path] : []))
  }

  /**
   * Returns every file with its path below the bucket's address. No file of a failing bucket is
   * readable.
   */
  files(): readonly (readonly [path: string, bytes: Uint8Array])[] {
    const unreadable = new Map([['v1', new Uint8Array(0)]])
    return [...this.#buckets].flatMap(([url, { files, behaviour }]) =>
      [...(behaviour === 'fails' ? unreadable : files)].map(
        ([path, bytes]) => [`${url}/${path}`, bytes] as const,
      ),
    )
  }
}

/** Returns a miner's reply to a prompt. Undefined for no reply. */
export type Reply = (question: {
  readonly role: 'champion' | 'contender'
  readonly env: string
  readonly index: number
  readonly prompt: string
}) => string | undefined

/** Differences of a lane from an honest lane in which no miner replies. */
export interface LanePlan {
  readonly reply?: Reply
  /** The secret that determines the lane's challenges. Default: the committed secret. */
  readonly secret?: string
  /** Changes the lane's samples before they are signed. */
  readonly alter?: (samples: readonly Sample[]) => readonly Sample[]
  /** Header fields with other values. Undefined removes a field. */
  readonly header?: { readonly [Key in keyof Header]?: Header[Key] | undefined }
}

/** A block as bytes, with its hash. */
export type Written = Awaited<ReturnType<typeof writeBlock>>

/**
 * A chain with voters, two miners and strangers, and their buckets. `stakes` of voters are in units
 * of a permit's threshold. The first duel begins after two epochs.
 */
export class ReadingSubnet {
  readonly chain: LocalChain
  readonly buckets: Buckets = new Buckets()
  readonly voters: readonly Account[]
  readonly strangers: readonly Account[]
  readonly network: Network
  /** Called with every block. The next block is produced after it has resolved. */
  hear: (head: Head) => Promise<void> | void = () => {}

  constructor(stakes: readonly number[], strangers = 0, rules: Network = network) {
    this.network = rules
    this.voters = stakes.map((_, i) => accountOf(i + 1))
    this.strangers = Array.from({ length: strangers }, (_, i) => accountOf(50 + i))
    const all = [...this.voters, ...this.strangers, champion, contender]
    let drawn = 0
    this.chain = LocalChain.create({
      netuid: NETUID,
      random: () => new Uint8Array(32).fill(drawn++),
      neurons: all.map(({ hotkey }, i) => ({ hotkey, stake: THRESHOLD * BigInt(stakes[i] ?? 0) })),
      params: { tempo: rules.protocol.epochBlocks, weightsRateLimit: 1 },
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

  /** Returns the commitment of a miner. */
  protected minerCommitment({ hotkey }: Account): Commitment {
    return { kind: 'miner', model: `m-${hotkey}`, revision: 'r', chute: 'c' }
  }

  /** Plays two epochs, attested by these voters. Resolves with the state that governs the third. */
  async begin(attesting: readonly Account[] = this.voters): Promise<State> {
    for (const who of [champion, contender]) await this.commit(who, this.minerCommitment(who))
    const { chain, network } = this
    const find = () => Promise.reject(new Error('no lane was due'))
    let state = createFirstState(network)
    while (state.epoch < FIRST_DUEL) {
      await this.attestAll(state, attesting, [])
      await this.produceTo(snapshotBlock(state.epoch + 1, network.protocol) + 1)
      ;({ state } = await decideEpoch({ chain, network }, state, find))
    }
    return state
  }

  /** Puts the state into the buckets of `who`. */
  publish(state: State, who: readonly Account[] = this.voters): void {
    const bytes = new TextEncoder().encode(encodeState(state))
    for (const { hotkey } of who) this.buckets.at(hotkey).files.set(statePath(state.epoch), bytes)
  }

  /** Lets the champion commit to another model. */
  leave(): Promise<void> {
    const model = `other-${champion.hotkey}`
    return this.commit(champion, { kind: 'miner', model, revision: 'r', chute: 'c' })
  }

  /**
   * Lets `who` attest the lanes of `whole`, hotkeys or a bitmap, with its bucket at `url`. Default:
   * its hotkey, and then the bucket gets the state, unless a test has put a file in its place.
   */
  async attest(
    who: Account,
    state: State,
    whole: readonly string[] | Uint8Array,
    url: string = who.hotkey,
  ): Promise<void> {
    const { epoch, voters } = state
    const hasState = this.buckets.at(url).files.has(statePath(epoch))
    if (url === who.hotkey && !hasState) this.publish(state, [who])
    const place = { genesis: this.chain.genesis, netuid: NETUID, validator: who.hotkey }
    await this.commit(who, {
      kind: 'attest',
      epoch,
      bitmap: whole instanceof Uint8Array ? whole : encodeBitmap(voters, new Set(whole)),
      next: hashCommitment({ ...place, epoch: epoch + 1, secret: SECRET }),
      stateRoot: stateRoot(state),
      url,
    })
  }

  /** Lets each of `who` attest the lanes of `whole`, by default those of `who`. */
  async attestAll(
    state: State,
    who: readonly Account[] = this.voters,
    whole: readonly string[] = hotkeys(who),
  ): Promise<void> {
    for (const voter of who) await this.attest(voter, state, whole)
  }

  /** Lets `who` seal the hash `head`, with its bucket at `url`, by default its hotkey. */
  seal(who: Account, { epoch }: State, head: string, url: string = who.hotkey): Promise<void> {
    return this.commit(who, { kind: 'seal', epoch, head, url })
  }

  /** Writes the lane of `who` in one block. */
  async lane(who: Account, state: State, plan: LanePlan = {}): Promise<Written> {
    const scope = await laneScope(this.chain, state, who.hotkey)
    if (scope === null) throw new Error(`${who.hotkey} is not due`)
    const { secret = SECRET, reply = () => undefined, alter = (samples) => samples } = plan
    const played = await playPlan(scope, secret, (miner, { env, index }) => (messages) => {
      const role = miner === scope.champion ? 'champion' : 'contender'
      const content = reply({ role, env, index, prompt: messages.at(-1)?.content ?? '' })
      return content === undefined ? { fault: 'no-reply' } : { content }
    })
    const samples = alter(played)
    const { genesis, netuid, validator, epoch } = scope
    const prev = state.heads[validator] ?? NO_BLOCK
    const place = { genesis, netuid, validator, epoch, height: 0, prev, time: 0, secret }
    // As JSON, a header has no undefined fields.
    const header: typeof place = JSON.parse(JSON.stringify({ ...place, ...plan.header }))
    return writeBlock({ ...header, samples, sign: who.sign })
  }

  /** Writes the lane of `who` in as many blocks as it needs. */
  async blocksOf(who: Account, state: State, plan: LanePlan): Promise<readonly Written[]> {
    const { alter = (samples) => samples } = plan
    const due = planLane({ champion: champion.hotkey, quotas: computeQuotas(state) }).length
    const blocks: Written[] = []
    for (let start = 0; start === 0 || start < due; start += LIMITS.blockSamples) {
      const end = start + LIMITS.blockSamples
      const prev = blocks.at(-1)?.hash
      const header = {
        height: blocks.length,
        ...(prev && { prev }),
        ...(end < due && { secret: undefined }),
        ...plan.header,
      }
      const part = (samples: readonly Sample[]) => alter(samples).slice(start, end)
      blocks.push(await this.lane(who, state, { ...plan, header, alter: part }))
    }
    return blocks
  }

  /** Puts a block into the buckets of these addresses. */
  put(block: Written, urls: readonly string[] = hotkeys(this.voters)): void {
    for (const url of urls) this.buckets.at(url).files.set(blockPath(block.hash), block.bytes)
  }

  /**
   * Lets each of `who` seal a lane, which all voters' buckets serve. Produces blocks up to the seal
   * block.
   */
  async sealAll(
    state: State,
    who: readonly Account[] = this.voters,
    plan: LanePlan = {},
  ): Promise<void> {
    for (const voter of who) {
      const blocks = await this.blocksOf(voter, state, plan)
      for (const block of blocks) this.put(block)
      await this.seal(voter, state, blocks.at(-1)?.hash ?? '')
    }
    await this.produceTo(sealBlock(state.epoch, this.network.protocol))
  }

  /** Lets `who` seal a lane in one block, which the buckets at these addresses serve. */
  async sealOne(
    who: Account,
    state: State,
    plan?: LanePlan,
    urls?: readonly string[],
  ): Promise<Written> {
    const block = await this.lane(who, state, plan)
    this.put(block, urls)
    await this.seal(who, state, block.hash)
    return block
  }

  /** Ends the epoch that `state` governs. */
  end(state: State): Promise<void> {
    return this.produceTo(snapshotBlock(state.epoch + 1, this.network.protocol))
  }

  /**
   * Plays an epoch in which all voters follow the rules, with lanes of this plan, and recomputes
   * it.
   */
  async play(state: State, plan: LanePlan): Promise<RecomputedEpoch> {
    await this.produceTo(beaconBlock(state.epoch, this.network.protocol))
    await this.sealAll(state, this.voters, plan)
    await this.attestAll(state)
    return this.endWith(state)
  }

  /** Ends the epoch that `state` governs, and recomputes it. */
  async endWith(state: State): Promise<RecomputedEpoch> {
    await this.end(state)
    const [epoch] = await this.recompute({ from: state })
    if (epoch === undefined) throw new Error('the epoch has not ended')
    return epoch
  }

  /** Clears the record of reads, and recomputes every epoch. */
  async recompute(options: Partial<RecomputeOptions> = {}): Promise<readonly RecomputedEpoch[]> {
    const { chain, buckets, network } = this
    buckets.reads.length = 0
    const epochs: RecomputedEpoch[] = []
    const { clock } = buckets
    const data = { chain, network, openBucket: buckets.open, clock, ...options }
    for await (const epoch of recompute(data)) epochs.push(epoch)
    return epochs
  }
}

/** Returns each flaw's code with the validator that it blames. */
export const flawsOf = (epochs: readonly RecomputedEpoch[]): readonly string[] =>
  epochs.flatMap(({ flaws }) => flaws.map(({ validator, code }) => `${code} ${validator}`))

export const hotkeys = (accounts: readonly (Account | Holder)[]): readonly string[] =>
  accounts.map(({ hotkey }) => hotkey)
