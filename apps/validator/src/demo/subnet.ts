import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, account, encodeCommitment, LocalChain } from '@affine/chain'
import { type Duel, type State, stateRoot } from '@affine/duel'
import { digest } from '@affine/prng'
import { networkOf } from '@affine/verifier'
import { minerClient } from '../miner-client.ts'
import { playerReply, serveMiner } from '../reference-miner.ts'
import { type Event, folders, type Setup } from '../setup.ts'
import { Validator } from '../validator.ts'

const NETUID = 120
const BLOCK_MS = 12_000
const CALLS_AT_ONCE = 32
const STAKE = 1_000_000_000_000
/** Epochs for which a throne that nobody contends is still watched: long enough to see the ratio decay. */
const QUIET_EPOCHS = 3
const MOST_EPOCHS = 60

/** Someone in the demo: a key, and a name for the screen. */
export interface Member {
  readonly name: string
  readonly account: Account
}

/** Who takes part. Miners commit in this order: the first finds the throne empty, the others queue. */
export interface Cast {
  readonly seed: string
  readonly validators: readonly Member[]
  /** A miner's skill is the share of its replies that a perfect player would have given. */
  readonly miners: readonly (Member & { readonly skill: number })[]
}

/** The validator that makes its transcripts up. */
export const LIAR = 'mallory'
const SKILLS = { champion: 0.6, copy: 0.6, weaker: 0.35, stronger: 0.85 }

/** The demo's members, their keys drawn from `seed`. */
export function castOf(seed: string): Cast {
  const member = (name: string): Member => {
    return { name, account: account(Buffer.from(digest('demo key', seed, name), 'hex')) }
  }
  const miners = Object.entries(SKILLS).map(([name, skill]) => ({ ...member(name), skill }))
  return { seed, validators: ['alice', 'bob', 'carol', 'dave', LIAR].map(member), miners }
}

/** Bytes that follow from the seed and a name: the same run has the same secrets and block hashes. */
function seededBytes(seed: string, name: string): (size: number) => Uint8Array {
  let drawn = 0
  return (size) => {
    drawn += 1
    return Buffer.from(digest('demo bytes', seed, name, drawn), 'hex').subarray(0, size)
  }
}

/**
 * How the liar samples: it asks nobody. In its transcripts the weaker of the two miners plays perfectly and the other
 * gives up, so each of them replays.
 */
function liarsAgent({ miners }: Cast, duelOf: () => Duel | undefined): Setup['agent'] {
  const skillOf = (hotkey = ''): number => miners.find(({ account }) => account.hotkey === hotkey)?.skill ?? 0
  return ({ hotkey }) =>
    async (messages) => {
      const [a, b] = [duelOf()?.champion.hotkey, duelOf()?.contender.hotkey]
      const favourite = skillOf(a) < skillOf(b) ? a : b
      const perfect = (): string => playerReply(messages.at(-1)?.content ?? '', { skill: 1, seed: '' })
      return { content: hotkey === favourite ? perfect() : 'I give up.' }
    }
}

/**
 * Runs a whole subnet in this process: a local chain, miners behind HTTP on loopback, validators with folders of their
 * own. A block is made when every validator has done what the last one asked for, so a run follows from its seed.
 * Leaves what anyone needs to check it in `out`, the folder `buckets` and the chain's export `chain.json`, and resolves
 * with the chain and the state that every validator came to.
 *
 * @throws Error when the validators disagree about the state, or it never comes to rest.
 */
export async function runSubnet(
  cast: Cast,
  out: string,
  on: (member: Member, event: Event) => void,
): Promise<{ readonly chain: LocalChain; readonly state: State }> {
  const { seed, validators, miners } = cast
  const network = networkOf('local')
  const entropy = seededBytes(seed, 'chain')
  const chain = LocalChain.create({
    netuid: NETUID,
    random: () => entropy(32),
    neurons: [
      ...validators.map(({ account }) => ({ hotkey: account.hotkey, stake: BigInt(STAKE) })),
      ...miners.map(({ account }) => ({ hotkey: account.hotkey, stake: 0n })),
    ],
    params: { tempo: network.protocol.epochBlocks, weightsRateLimit: 1, stakeThreshold: STAKE },
  })
  let height = 0
  const now = (): number => height * BLOCK_MS
  const produce = async (): Promise<void> => {
    height = (await chain.produce(now())).number
  }
  const servers: Disposable[] = []
  try {
    const clients = new Map<string, ReturnType<typeof minerClient>>()
    for (const { name, skill, account } of miners) {
      const server = await serveMiner({ skill, seed: `${seed} ${name}` }, 0)
      servers.push(server)
      const model = `affine/${name}-${account.hotkey}`
      clients.set(account.hotkey, minerClient({ model, chute: `${server.url}/v1` }, CALLS_AT_ONCE, now))
      const included = chain.commit(account, encodeCommitment({ kind: 'miner', model, revision: 'main', chute: name }))
      await produce()
      await included
    }
    const honest: Setup['agent'] = ({ hotkey }, replyMs, deadline) =>
      clients.get(hotkey)?.(replyMs, deadline) ?? (async () => ({ fault: 'no-reply' }))
    const states = new Map<string, State>()
    const running = validators.map((member) => {
      const { name, account } = member
      return new Validator({
        ...folders(join(out, 'validators', name), join(out, 'buckets'), account.hotkey),
        ...{ chain, account, network, now, random: seededBytes(seed, name) },
        agent: name === LIAR ? liarsAgent(cast, () => states.get(name)?.duel) : honest,
        on: (event) => {
          if (event.type === 'epoch') states.set(name, event.settled.state)
          on(member, event)
        },
      })
    })
    let state: State | undefined
    for (let quiet = 0; state === undefined || quiet < QUIET_EPOCHS; ) {
      await produce()
      const head = await chain.head()
      for (const validator of running) validator.onHead(head)
      await Promise.all(running.map((validator) => validator.idle()))
      const roots = new Set([...states.values()].map(stateRoot))
      if (roots.size > 1) throw new Error(`validators came to different states: ${[...roots].join(', ')}`)
      const latest = states.get(LIAR)
      if (latest === undefined || latest.epoch === state?.epoch) continue
      state = latest
      quiet = state.duel === undefined ? quiet + 1 : 0
      if (state.epoch > MOST_EPOCHS) throw new Error(`the subnet did not come to rest in ${MOST_EPOCHS} epochs`)
    }
    await produce() // the last weights
    await writeFile(join(out, 'chain.json'), chain.export())
    return { chain, state }
  } finally {
    for (const server of servers) server[Symbol.dispose]()
  }
}
