import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { encodeCommitment, LocalChain } from '@affine/chain'
import { type State, stateRoot } from '@affine/duel'
import { networkOf } from '@affine/verifier'
import { listen } from '../listen.ts'
import { type MinerClient, minerClient } from '../miner-client.ts'
import { minerServer } from '../reference-miner.ts'
import { type Event, folders, type Setup } from '../setup.ts'
import { Validator } from '../validator.ts'
import { type Cast, liarsAgent, type Member, seededBytes } from './cast.ts'

const NETUID = 120
const BLOCK_MS = 12_000
const CALLS_AT_ONCE = 32
const STAKE = 1_000_000_000_000
/** Epochs for which a throne that nobody contends is still watched: long enough to see the ratio decay. */
const QUIET_EPOCHS = 3
const MOST_EPOCHS = 60

export interface SubnetOptions {
  readonly cast: Cast
  readonly seed: string
  readonly out: string
  readonly on: (member: Member, event: Event) => void
  readonly signal: AbortSignal
}

/** A finished subnet: where it left what anyone needs to check it, and the state that every validator came to. */
export interface Subnet {
  readonly buckets: string
  readonly chain: LocalChain
  readonly chainFile: string
  readonly state: State
}

/**
 * Runs a whole subnet in this process: a local chain, miners behind HTTP on loopback, validators with folders of their
 * own. A block is made when every validator has done what the last one asked for, so a run follows from its seed.
 *
 * @throws Error when the validators disagree about the state, or it never comes to rest.
 */
export async function runSubnet({ cast, seed, out, on, signal }: SubnetOptions): Promise<Subnet> {
  const network = networkOf('local')
  const entropy = seededBytes(seed, 'chain')
  const chain = LocalChain.create({
    netuid: NETUID,
    random: () => entropy(32),
    neurons: [
      ...cast.validators.map(({ account }) => ({ hotkey: account.hotkey, stake: BigInt(STAKE) })),
      ...cast.miners.map(({ account }) => ({ hotkey: account.hotkey, stake: 0n })),
    ],
    params: { tempo: network.protocol.epochBlocks, weightsRateLimit: 1, stakeThreshold: STAKE },
  })
  let height = 0
  const now = (): number => height * BLOCK_MS
  const produce = async (): Promise<void> => {
    height = (await chain.produce(now())).number
  }
  const buckets = join(out, 'buckets')
  const servers: Server[] = []
  const states = new Map<string, State>()
  try {
    const clients = new Map<string, MinerClient>()
    for (const { name, skill, account } of cast.miners) {
      const server = minerServer({ skill, seed: `${seed} ${name}` })
      servers.push(server)
      const model = `affine/${name}-${account.hotkey}`
      const url = `${await listen(server, 0)}/v1`
      clients.set(account.hotkey, minerClient({ url, model }, CALLS_AT_ONCE, now))
      const included = chain.commit(account, encodeCommitment({ kind: 'miner', model, revision: 'main', chute: name }))
      await produce()
      await included
    }
    const honest: Setup['agent'] = ({ hotkey }, replyMs, deadline) =>
      clients.get(hotkey)?.agent(replyMs, deadline) ?? (async () => ({ fault: 'no-reply' }))
    const validators = cast.validators.map((member) => {
      const { name, account } = member
      return new Validator({
        ...folders(join(out, 'validators', name), buckets, account.hotkey),
        ...{ chain, account, network, now, random: seededBytes(seed, name) },
        agent: name === cast.liar ? liarsAgent(cast, () => states.get(name)) : honest,
        on: (event) => {
          if (event.type === 'epoch') states.set(name, event.settled.state)
          on(member, event)
        },
      })
    })
    const stopped = once(signal, 'abort')
    for (let [epoch, quiet] = [0, 0]; quiet < QUIET_EPOCHS; ) {
      signal.throwIfAborted()
      await produce()
      const head = await chain.head()
      for (const validator of validators) validator.onHead(head)
      await Promise.race([Promise.all(validators.map((validator) => validator.idle())), stopped])
      const state = agreed(states)
      if (state === undefined || state.epoch === epoch) continue
      epoch = state.epoch
      quiet = state.duel === undefined ? quiet + 1 : 0
      if (epoch > MOST_EPOCHS) throw new Error(`the subnet did not come to rest in ${MOST_EPOCHS} epochs`)
    }
    await produce() // the last weights
  } finally {
    for (const server of servers) server.close().closeAllConnections()
  }
  const chainFile = join(out, 'chain.json')
  await writeFile(chainFile, chain.export())
  return { buckets, chain, chainFile, state: agreed(states) as State }
}

/** The state that all validators hold. @throws Error if they differ, which would be a defect. */
function agreed(states: ReadonlyMap<string, State>): State | undefined {
  const roots = new Set([...states.values()].map(stateRoot))
  if (roots.size > 1) throw new Error(`validators came to different states: ${[...roots].join(', ')}`)
  return states.values().next().value
}
