import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Bucket,
  blockPath,
  hashCommitment,
  LIMITS,
  NO_BLOCK,
  type Sample,
  type Scope,
  statePath,
  writeBlock,
} from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { type Account, account, type Commitment, encodeCommitment, LocalChain } from '@affine/chain'
import {
  type EnvsConstants,
  encodeBitmap,
  encodeState,
  firstState,
  LOCAL,
  type State,
  stateRoot,
} from '@affine/duel'
import { make } from '@affine/envs'
import {
  beaconBlock,
  decideEpoch,
  LOCAL_NETWORK,
  laneScope,
  type Network,
  type OpenBucket,
  recompute,
  sealBlock,
  snapshotBlock,
} from '@affine/settlement'
import { playPlan } from '../packages/blocks/test/play-plan.ts'

/** The amount of evidence. */
export interface Size {
  readonly validators: number
  /** Number of epochs with a duel. */
  readonly epochs: number
  /** Environments. Each duel then lasts eight epochs. Default: the rules of local chains. */
  readonly envs?: EnvsConstants
  /** Number of epochs without a miner, before the epochs with a duel. Default: 0. */
  readonly empty?: number
}

const NETUID = 120
const SECRET = '5e'.repeat(32)
const BLOCK_SAMPLES = LIMITS.blockSamples

/** Returns the rules of the subnet. */
export function networkOf({ envs }: Pick<Size, 'envs'>): Network {
  if (envs === undefined) return LOCAL_NETWORK
  return {
    ...LOCAL_NETWORK,
    protocol: {
      ...LOCAL,
      ...{ envs, epochBlocks: 6, sealBlock: 4 },
      ...{ cap: 1_000_000, holdOffset: 10_000_000, evenPpm: 1 },
    },
  }
}

const SHORT = ['mult8@0.1.0', 'tictactoe@0.1.0']

/**
 * Returns the environments with the shortest episodes, with a fixed number of challenges per lane
 * and epoch.
 */
export function shortEnvs(quota: number): EnvsConstants {
  const played = Object.entries(LOCAL.envs).filter(([env]) => SHORT.includes(env))
  const quotas = { quotaFirst: quota, quotaMost: quota }
  return Object.fromEntries(played.map(([env, constants]) => [env, { ...constants, ...quotas }]))
}

/** Returns a function that opens a validator's bucket. All buckets are the same folder. */
export function bucketIn(folder: string): OpenBucket {
  const { read } = directoryBucket(join(folder, 'bucket'))
  return (hotkey) => ({ name: hotkey, read })
}

/**
 * Writes a chain and all evidence of a subnet into a folder. Every validator seals a lane and
 * attests all lanes. The contender and its later revisions are as good as the champion.
 */
export async function makeEvidence(folder: string, size: Size): Promise<void> {
  const subnet = new Subnet(folder, size)
  await subnet.run()
  await writeFile(join(folder, 'chain.json'), subnet.chain.export())
}

class Subnet {
  readonly chain: LocalChain
  readonly #folder: string
  readonly #bucket: Bucket
  readonly #size: Size
  readonly #network: Network
  readonly #voters: readonly Account[]
  readonly #miners: readonly [champion: Account, contender: Account]

  constructor(folder: string, size: Size) {
    this.#folder = folder
    this.#bucket = directoryBucket(join(folder, 'bucket'))
    this.#size = size
    this.#network = networkOf(size)
    this.#voters = Array.from({ length: size.validators }, (_, i) => accountOf(i + 1))
    this.#miners = [accountOf(10_001), accountOf(10_002)]
    let drawn = 0
    const entropy = () => {
      const bytes = new Uint8Array(32)
      new DataView(bytes.buffer).setUint32(0, drawn++)
      return bytes
    }
    this.chain = LocalChain.create({
      netuid: NETUID,
      random: entropy,
      neurons: [
        ...this.#voters.map(({ hotkey }) => ({ hotkey, stake: 10n ** 14n })),
        ...this.#miners.map(({ hotkey }) => ({ hotkey, stake: 0n })),
      ],
      params: { tempo: this.#network.protocol.epochBlocks },
    })
  }

  async run(): Promise<void> {
    const { chain } = this
    const network = this.#network
    const find = () => Promise.reject(new Error('no lane was due'))
    let state = firstState(network.protocol, 0)
    for (let left = this.#size.empty ?? 0; left >= 0; left--) {
      await this.#produceTo(beaconBlock(state.epoch, network.protocol))
      await this.#attest(state, [])
      if (left === 0)
        for (const miner of this.#miners) await this.#commit([[miner, minerOf(miner, 0)]])
      await this.#produceTo(snapshotBlock(state.epoch + 1, network.protocol) + 1)
      state = (await decideEpoch({ chain, network }, state, find)).state
      await this.#publish(state)
    }
    for (let played = 0; played < this.#size.epochs; ) {
      played += state.duels.length > 0 ? 1 : 0
      state = await this.#epoch(state)
    }
  }

  /** Plays the epoch that `state` governs. Resolves with the resulting state. */
  async #epoch(state: State): Promise<State> {
    const { chain } = this
    const network = this.#network
    await this.#produceTo(beaconBlock(state.epoch, network.protocol))
    const seals: [Account, Commitment][] = []
    for (const voter of this.#voters) {
      const scope = await laneScope(chain, state, voter.hotkey)
      if (scope === null) continue
      const head = await this.#writeLane(voter, scope, state.heads[voter.hotkey] ?? NO_BLOCK)
      seals.push([voter, { kind: 'seal', epoch: state.epoch, head, url: voter.hotkey }])
    }
    await this.#commit(seals)
    await this.#produceTo(sealBlock(state.epoch, network.protocol))
    await this.#attest(state, Object.keys(state.due))
    // After each duel a new revision of the contender lets another duel begin.
    const [, contender] = this.#miners
    if (state.duels.length === 0) await this.#commit([[contender, minerOf(contender, state.epoch)]])
    await this.#produceTo(snapshotBlock(state.epoch + 1, network.protocol))
    const openBucket = bucketIn(this.#folder)
    const data = { chain, network, openBucket, from: state, compare: false }
    for await (const { state: next } of recompute(data)) {
      await this.#publish(next)
      return next
    }
    throw new Error(`epoch ${state.epoch} has not ended`)
  }

  #publish(state: State): Promise<void> {
    return this.#bucket.write(statePath(state.epoch), new TextEncoder().encode(encodeState(state)))
  }

  /** Writes the blocks of an honest lane. Resolves with the hash of the last block. */
  async #writeLane(voter: Account, scope: Scope, head: string): Promise<string> {
    const samples = await samplesOf(scope)
    const { genesis, netuid, validator, epoch } = scope
    let prev = head
    for (let start = 0; start < samples.length; start += BLOCK_SAMPLES) {
      const isLast = start + BLOCK_SAMPLES >= samples.length
      const place = { genesis, netuid, validator, epoch, height: start / BLOCK_SAMPLES, prev }
      const block = await writeBlock({
        ...place,
        time: 0,
        ...(isLast && { secret: SECRET }),
        samples: samples.slice(start, start + BLOCK_SAMPLES),
        sign: voter.sign,
      })
      await this.#bucket.write(blockPath(block.hash), block.bytes)
      prev = block.hash
    }
    return prev
  }

  async #attest(state: State, whole: readonly string[]): Promise<void> {
    const { epoch, voters } = state
    const bitmap = encodeBitmap(voters, new Set(whole))
    const root = stateRoot(state)
    const { genesis } = this.chain
    await this.#commit(
      this.#voters.map((voter) => {
        const place = { genesis, netuid: NETUID, validator: voter.hotkey, epoch: epoch + 1 }
        const next = hashCommitment({ ...place, secret: SECRET })
        return [voter, { kind: 'attest', epoch, bitmap, next, stateRoot: root, url: voter.hotkey }]
      }),
    )
  }

  async #commit(commitments: readonly (readonly [Account, Commitment])[]): Promise<void> {
    const included = commitments.map(([who, what]) =>
      this.chain.commit(who, encodeCommitment(what)),
    )
    await this.chain.produce(0)
    await Promise.all(included)
  }

  async #produceTo(block: number): Promise<void> {
    while (this.chain.height < block) await this.chain.produce(0)
  }
}

/** Returns the account of a secret key with this scalar. */
function accountOf(scalar: number): Account {
  const secret = new Uint8Array(64)
  new DataView(secret.buffer).setUint32(0, 8 * scalar, true)
  return account(secret)
}

const minerOf = ({ hotkey }: Account, revision: number): Commitment => ({
  kind: 'miner',
  model: `lab/${hotkey}`,
  revision: String(revision),
  chute: 'chute',
})

/** Plays a lane. The miners solve all challenges, but one of them misses about one in a hundred. */
const samplesOf = (scope: Scope): Promise<readonly Sample[]> =>
  playPlan(scope, SECRET, (miner, { env, challengeId }) => (messages) => {
    const luck = Number.parseInt(challengeId.slice(0, 4), 16)
    const isChampions = luck % 2 === 0
    if (luck < 800 && isChampions === (miner === scope.champion)) return { fault: 'no-reply' }
    const good = make(env).spec.solve(messages.at(-1)?.content ?? '')
    return { content: `I weigh the lines.\n${good}`, ms: 1000 }
  })
