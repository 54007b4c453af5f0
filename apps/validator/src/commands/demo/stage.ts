import { BLOCK_MS, encodeCommitment, LocalChain } from '@affine/chain'
import { type AgentOf, type Caller, endpointAgents } from '@affine/miners'
import { type Listening, NODE_CALLER, serveMiner } from '@affine/miners/node'
import { type Clock, LOCAL_NETWORK } from '@affine/settlement'
import type { Cast, Member } from './cast.ts'
import { seededBytes } from './seeded-bytes.ts'

const STAKE = 1_000_000_000_000n
/** No reply is late, however slow the machine is: a run follows from its seed. */
const PATIENT_CALLER: Caller = {
  ...NODE_CALLER,
  exchange: (query) => NODE_CALLER.exchange({ ...query, replyMs: 3_600_000 }),
}

/**
 * A local chain whose hashes follow from the seed, and servers for its miners, which stop when it
 * is disposed of.
 */
export class Stage implements Disposable {
  readonly chain: LocalChain
  /** Asks the miners that are served here. */
  readonly agent: AgentOf
  readonly #seed: string
  readonly #servers = new Map<string, Listening>()

  /** All members are registered from the start, the validators with stake. */
  constructor({ seed, validators, miners }: Cast) {
    const entropy = seededBytes(seed, 'chain')
    this.chain = LocalChain.create({
      netuid: 120,
      random: () => entropy(32),
      neurons: [
        ...validators.map((member) => neuronOf(member, STAKE)),
        ...miners.map((member) => neuronOf(member, 0n)),
      ],
      params: {
        tempo: LOCAL_NETWORK.protocol.epochBlocks,
        weightsRateLimit: 1,
        stakeThreshold: Number(STAKE),
      },
    })
    const ask = endpointAgents({ ...PATIENT_CALLER, concurrency: 32, now: this.now })
    // Ports differ from run to run, so on this chain a chute is a name.
    this.agent = (miner, ...rest) => {
      const chute = this.#servers.get(miner.chute)?.url ?? ''
      return ask({ ...miner, chute }, ...rest)
    }
    this.#seed = seed
  }

  /** The clock of all members, in milliseconds: it moves with the blocks. */
  readonly now = (): number => this.chain.height * BLOCK_MS

  /** For games: no clock runs out between two blocks. */
  readonly clock: Clock = { now: this.now, after: () => () => {} }

  /** Makes the next block. */
  async produce(): Promise<void> {
    await this.chain.produce(this.now())
  }

  /** Starts a miner's server and commits the miner in the next block, with its name as chute. */
  async enter({ name, skill = 0, account }: Member): Promise<void> {
    this.#servers.set(name, await serveMiner({ skill, seed: `${this.#seed} ${name}` }, 0))
    const model = `affine/${name}-${account.hotkey}`
    const fields = encodeCommitment({ kind: 'miner', model, revision: 'main', chute: name })
    const included = this.chain.commit(account, fields)
    await this.produce()
    await included
  }

  [Symbol.dispose](): void {
    for (const server of this.#servers.values()) server[Symbol.dispose]()
  }
}

function neuronOf({ account: { hotkey } }: Member, stake: bigint) {
  return { hotkey, stake }
}
