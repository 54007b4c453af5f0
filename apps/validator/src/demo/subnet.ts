import { mkdir, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { encodeCommitment, LocalChain } from '@affine/chain'
import { type State, stateRoot } from '@affine/duel'
import { networkOf, openBucket } from '@affine/verifier'
import { listen } from '../listen.ts'
import { minerClient } from '../miner-client.ts'
import { minerServer } from '../miner-server.ts'
import type { Event, Setup } from '../setup.ts'
import { Validator } from '../validator.ts'
import { type Cast, liarsAgent, type Member, seededBytes } from './cast.ts'

const NETUID = 120
const BLOCK_MS = 12_000
const CALLS_AT_ONCE = 32
const STAKE = 1_000_000_000_000n
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
  const neurons = [
    ...cast.validators.map(({ account }) => ({ hotkey: account.hotkey, stake: STAKE })),
    ...cast.miners.map(({ account }) => ({ hotkey: account.hotkey, stake: 0n })),
  ]
  const entropy = seededBytes(seed, 'chain')
  const { epochBlocks: tempo } = network.protocol
  const params = { tempo, weightsRateLimit: 1, stakeThreshold: Number(STAKE) }
  const chain = LocalChain.create({ netuid: NETUID, random: () => entropy(32), neurons, params })
  let height = 0
  const now = (): number => height * BLOCK_MS
  const buckets = join(out, 'buckets')
  const servers: Server[] = []
  const states = new Map<string, State>()
  try {
    const endpoints = new Map<string, { readonly url: string; readonly model: string }>()
    for (const { name, skill, account } of cast.miners) {
      const server = minerServer({ skill, seed: `${seed} ${name}` })
      servers.push(server)
      const model = `affine/${name}-${account.hotkey}`
      endpoints.set(account.hotkey, { url: `${await listen(server, 0)}/v1`, model })
      const included = chain.commit(account, encodeCommitment({ kind: 'miner', model, revision: 'main', chute: name }))
      height = (await chain.produce(now())).number
      await included
    }
    const validators = await Promise.all(
      cast.validators.map(async (member) => {
        const { name, account } = member
        const clients = new Map([...endpoints].map(([hotkey, e]) => [hotkey, minerClient(e, CALLS_AT_ONCE, now)]))
        const honest: Setup['agent'] = ({ hotkey }, replyMs, deadline) => {
          const client = clients.get(hotkey)
          return client === undefined ? () => Promise.resolve({ fault: 'no-reply' }) : client.agent(replyMs, deadline)
        }
        const folder = join(out, 'validators', name)
        await mkdir(join(buckets, account.hotkey), { recursive: true })
        return new Validator({
          chain,
          account,
          network,
          folder,
          store: directoryBucket(folder),
          bucket: directoryBucket(join(buckets, account.hotkey)),
          bucketUrl: account.hotkey,
          openBucket: (hotkey, url) => openBucket(hotkey, url, buckets),
          agent: name === cast.liar ? liarsAgent(cast, () => states.get(name)) : honest,
          now,
          random: seededBytes(seed, name),
          on: (event) => {
            if (event.type === 'epoch') states.set(name, event.settled.state)
            on(member, event)
          },
        })
      }),
    )
    let quiet = 0
    for (let epoch = 0; quiet < QUIET_EPOCHS; ) {
      signal.throwIfAborted()
      const head = await chain.produce(now())
      height = head.number
      for (const validator of validators) validator.onHead(head)
      await Promise.all(validators.map((validator) => validator.idle()))
      const state = agreed(states)
      if (state === undefined || state.epoch === epoch) continue
      epoch = state.epoch
      quiet = state.duel === undefined ? quiet + 1 : 0
      if (epoch > MOST_EPOCHS) throw new Error(`the subnet did not come to rest in ${MOST_EPOCHS} epochs`)
    }
    await chain.produce(now()) // the last weights
  } finally {
    for (const server of servers) server.close().closeAllConnections()
  }
  const state = agreed(states)
  if (state === undefined) throw new Error('no epoch was decided')
  const chainFile = join(out, 'chain.json')
  await writeFile(chainFile, chain.export())
  return { buckets, chain, chainFile, state }
}

/** The state that all validators hold. @throws Error if they differ, which would be a defect. */
function agreed(states: ReadonlyMap<string, State>): State | undefined {
  const roots = new Set([...states.values()].map(stateRoot))
  if (roots.size > 1) throw new Error(`validators came to different states: ${[...roots].join(', ')}`)
  return states.values().next().value
}
