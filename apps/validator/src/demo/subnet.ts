import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, account, encodeCommitment, LocalChain } from '@affine/chain'
import { type Duel, type State, stateRoot } from '@affine/duel'
import { digest } from '@affine/prng'
import { LOCAL_NETWORK as network } from '@affine/verifier'
import { endpointAgents } from '../miner-client.ts'
import { playerReply, serveMiner } from '../reference-miner.ts'
import { type Event, placesOf, type Setup } from '../setup.ts'
import { Validator } from '../validator.ts'

const STAKE = 1_000_000_000_000n
/**
 * Epochs for which a throne that nobody contends is still watched: long enough to see the ratio
 * decay.
 */
const QUIET_EPOCHS = 3
const MOST_EPOCHS = 60

/**
 * Someone in the demo: a key, a name for the screen, and a miner's skill: the share of its replies
 * that are perfect.
 */
export type Member = { readonly name: string; readonly account: Account; readonly skill?: number }

/**
 * Who takes part. Miners commit in this order: the first finds the throne empty, the others queue.
 */
export type Cast = Readonly<Record<'validators' | 'miners', readonly Member[]>> & {
  readonly seed: string
}

/** The validator that makes its transcripts up. */
export const LIAR = 'mallory'
const SKILLS = { champion: 0.6, copy: 0.6, weaker: 0.35, stronger: 0.85 }

const digestBytes = (...parts: Parameters<typeof digest>): Buffer =>
  Buffer.from(digest(...parts), 'hex')

/** The demo's members, their keys drawn from `seed`. */
export function castOf(seed: string): Cast {
  const member = (name: string): Member => ({
    name,
    account: account(digestBytes('demo key', seed, name)),
  })
  const miners = Object.entries(SKILLS).map(([name, skill]) => ({ ...member(name), skill }))
  return { seed, validators: ['alice', 'bob', 'carol', 'dave', LIAR].map(member), miners }
}

/**
 * Bytes that follow from the seed and a name: the same run has the same secrets and block hashes.
 */
function seededBytes(seed: string, name: string): (size: number) => Uint8Array {
  let drawn = 1
  return (size) => digestBytes('demo bytes', seed, name, drawn++).subarray(0, size)
}

/**
 * How the liar samples: it asks nobody. In its transcripts the weaker of the two miners plays
 * perfectly and the other gives up, so each of them replays.
 */
function liarsAgent({ miners }: Cast, duelOf: () => Duel | undefined): Setup['agent'] {
  const skillOf = (hotkey = ''): number =>
    miners.find(({ account }) => account.hotkey === hotkey)?.skill ?? 0
  return ({ hotkey }) =>
    async (messages) => {
      const [a, b] = [duelOf()?.champion.hotkey, duelOf()?.contender.hotkey]
      const favourite = skillOf(a) < skillOf(b) ? a : b
      const perfect = (): string =>
        playerReply(messages.at(-1)?.content ?? '', { skill: 1, seed: '' })
      return { content: hotkey === favourite ? perfect() : 'I give up.' }
    }
}

type Subnet = { readonly chain: LocalChain; readonly state: State }

/**
 * Runs a whole subnet in this process: a local chain, miners behind HTTP on loopback, validators
 * with folders of their own. A block is made when every validator has done what the last one asked
 * for, so a run follows from its seed. Leaves what anyone needs to check it in `out`, the folder
 * `buckets` and the chain's export `chain.json`, and resolves with the chain and the state that
 * every validator came to.
 *
 * @throws Error when the validators disagree about the state, or it never comes to rest.
 */
export async function runSubnet(
  cast: Cast,
  out: string,
  on: (member: Member, event: Event) => void,
): Promise<Subnet> {
  const { seed, validators, miners } = cast
  const entropy = seededBytes(seed, 'chain')
  const neuron = (stake: bigint) => (member: Member) => ({ hotkey: member.account.hotkey, stake })
  const neurons = [...validators.map(neuron(STAKE)), ...miners.map(neuron(0n))]
  const params = {
    tempo: network.protocol.epochBlocks,
    weightsRateLimit: 1,
    stakeThreshold: Number(STAKE),
  }
  const chain = LocalChain.create({ netuid: 120, random: () => entropy(32), neurons, params })
  let height = 0
  const now = (): number => height * 12_000
  const produce = async (): Promise<void> => {
    height = (await chain.produce(now())).number
  }
  const servers = new Map<string, Awaited<ReturnType<typeof serveMiner>>>()
  const ask = endpointAgents(32, now)
  // Ports differ from run to run, so on this chain a chute is a name.
  const honest: Setup['agent'] = (miner, ...rest) =>
    ask({ ...miner, chute: servers.get(miner.chute)?.url ?? '' }, ...rest)
  try {
    for (const { name, skill = 0, account } of miners) {
      servers.set(name, await serveMiner({ skill, seed: `${seed} ${name}` }, 0))
      const model = `affine/${name}-${account.hotkey}`
      const included = chain.commit(
        account,
        encodeCommitment({ kind: 'miner', model, revision: 'main', chute: name }),
      )
      await produce()
      await included
    }
    const running: readonly Validator[] = validators.map((member, i) => {
      const { name, account } = member
      return new Validator({
        ...placesOf(
          { folder: join(out, 'validators', name), bucket: join(out, 'buckets') },
          account.hotkey,
          network,
        ),
        ...{ chain, account, network, emit: true, now, random: seededBytes(seed, name) },
        agent: name === LIAR ? liarsAgent(cast, () => running[i]?.state?.duel) : honest,
        on: (event) => on(member, event),
      })
    })
    let state: State | undefined
    for (let quiet = 0; state === undefined || quiet < QUIET_EPOCHS; ) {
      await produce()
      const head = await chain.head()
      for (const validator of running) validator.onHead(head)
      await Promise.all(running.map((validator) => validator.idle()))
      const roots = new Set(running.map(({ state }) => state && stateRoot(state)))
      if (roots.size > 1)
        throw new Error(`validators came to different states: ${[...roots].join(', ')}`)
      const latest = running[0]?.state
      if (latest === undefined || latest.epoch === (state?.epoch ?? network.firstEpoch)) continue
      state = latest
      quiet = state.duel === undefined ? quiet + 1 : 0
      if (state.epoch > MOST_EPOCHS)
        throw new Error(`the subnet did not come to rest in ${MOST_EPOCHS} epochs`)
    }
    await produce() // the last weights
    await writeFile(join(out, 'chain.json'), chain.export())
    return { chain, state }
  } finally {
    for (const server of servers.values()) server[Symbol.dispose]()
  }
}
