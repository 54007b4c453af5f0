import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@affine/blocks'
import { type Account, account, BLOCK_MS, encodeCommitment, type LocalChain } from '@affine/chain'
import { type State, stateRoot } from '@affine/duel'
import { type Event, Validator } from '@affine/engine'
import { type AgentFactory, type Caller, endpointAgents, playerReply } from '@affine/miners'
import { NODE_CALLER, serveMiner } from '@affine/miners/node'
import { digest } from '@affine/prng'
import { toJson } from '@affine/report'
import { createLocalNetwork } from '@affine/settlement'
import { createLocalChain } from '@affine/settlement/node'
import { NAMES_FILE } from '@affine/terminal'
import { createFolderBucket } from '../../buckets/backends.ts'
import { openPlaces } from '../../settings/settings.ts'

/**
 * A validator or a miner of the demo. Only a miner has a `skill`: the share of its replies that are
 * perfect, 0 to 1.
 */
export interface Member {
  readonly name: string
  readonly account: Account
  readonly skill?: number
}

/** All members. Miners commit in their order here: the first becomes champion, the others queue. */
export type Participants = ReturnType<typeof createParticipants>

/** The validator that invents its transcripts. */
export const LIAR = 'mallory'

const VALIDATORS = ['alice', 'bob', 'carol', 'dave', LIAR]
const SKILLS = { veteran: 0.6, copy: 0.6, weaker: 0.35, stronger: 0.95 }

export function createParticipants(seed: string) {
  const member = (name: string) => ({ name, account: account(digestBytes('demo key', seed, name)) })
  const miners = Object.entries(SKILLS).map(([name, skill]) => ({ ...member(name), skill }))
  return { seed, validators: VALIDATORS.map(member), miners }
}

export function mapNames({ validators, miners }: Participants): Readonly<Record<string, string>> {
  const members = [...validators, ...miners]
  return Object.fromEntries(members.map(({ name, account }) => [account.hotkey, name]))
}

function digestBytes(...parts: Parameters<typeof digest>): Buffer {
  return Buffer.from(digest(...parts), 'hex')
}

/**
 * Returns a source of bytes that follow from the seed and a name, so that a run with the same seed
 * has the same secrets and block hashes. At most 32 bytes a call.
 */
function createSeededBytes(seed: string, name: string): (size: number) => Uint8Array {
  let drawn = 0
  return (size) => {
    drawn += 1
    return digestBytes('demo bytes', seed, name, drawn).subarray(0, size)
  }
}

/** Number of last epochs without a duel: enough to show the decay of the ratio to beat. */
const QUIET_EPOCHS = 2
const MAX_EPOCHS = 60

export type OnMemberEvent = (member: Member, event: Event) => void

/**
 * Runs a subnet in this process: a local chain, miners behind HTTP on loopback, and validators with
 * their own folders. A block is made when every validator has finished with the previous block, so
 * the run follows from its seed. Writes everything for its verification to `out`: the folder
 * `buckets`, the chain's export `chain.json` and the members' names. Resolves with the chain and
 * the state that all validators agreed on.
 *
 * @throws Error if a validator has a problem, if validators disagree about the state, or if duels
 *   continue after `MAX_EPOCHS`.
 */
export async function runSubnet(
  participants: Participants,
  out: string,
  on: OnMemberEvent,
): Promise<{ readonly chain: LocalChain; readonly state: State }> {
  using stage = createStage(participants)
  const { chain } = stage
  const network = createLocalNetwork(chain)
  for (const miner of participants.miners) await stage.enter(miner)
  const faults: Error[] = []
  const bucket = createFolderBucket(join(out, 'buckets'))
  const validators = participants.validators.map((member) => {
    const { name, account } = member
    const folder = join(out, 'validators', name)
    return new Validator({
      ...openPlaces({ folder, bucket, bucketUrl: undefined }, account.hotkey, network),
      chain,
      account,
      network,
      emit: true,
      now: stage.now,
      clock: stage.clock,
      random: createSeededBytes(participants.seed, name),
      agent: name === LIAR ? createLiarAgent(participants) : stage.agent,
      on: (event) => {
        if (event.type === 'problem') faults.push(event.error)
        on(member, event)
      },
    })
  })
  const state = await produceUntilRest(stage, validators, faults)
  await stage.produce() // this block includes the last weights
  await writeFile(join(out, 'chain.json'), chain.export())
  await writeFile(join(out, NAMES_FILE), toJson(mapNames(participants)))
  return { chain, state }
}

/** Makes blocks until `QUIET_EPOCHS` epochs in a row had no duel. Returns the final state. */
async function produceUntilRest(
  stage: ReturnType<typeof createStage>,
  validators: readonly Validator[],
  faults: readonly Error[],
): Promise<State> {
  let state: State | undefined
  let quietEpochs = 0
  while (state === undefined || quietEpochs < QUIET_EPOCHS) {
    const head = await stage.produce()
    for (const validator of validators) validator.onHead(head)
    await Promise.all(validators.map((validator) => validator.idle()))
    const latest = getAgreedState(validators, faults)
    if (latest === undefined || latest.epoch === (state?.epoch ?? 0)) continue
    state = latest
    quietEpochs = state.duels.length > 0 ? 0 : quietEpochs + 1
    if (state.epoch > MAX_EPOCHS)
      throw new Error(`the demo ends: duels continue after ${MAX_EPOCHS} epochs`)
  }
  return state
}

/**
 * Returns the state that all validators agree on, if any.
 * @throws Error if the validators disagree, or for a problem that one of them reported. A validator
 *   would retry, for example on a full disk, but the demo ends.
 */
function getAgreedState(validators: readonly Validator[], [fault]: readonly Error[]) {
  if (fault) throw new Error(`the demo ends: ${fault.message}`)
  const states = validators.map(({ state }) => state)
  const roots = new Set(states.map((state) => state && stateRoot(state)))
  if (roots.size > 1)
    throw new Error(`the demo ends: validators computed different states: ${[...roots].join(', ')}`)
  return states[0]
}

/** Waits up to an hour for a reply, so that a run on a slow machine also follows from its seed. */
const PATIENT_CALLER: Caller = {
  ...NODE_CALLER,
  exchange: (query) => NODE_CALLER.exchange({ ...query, replyMs: 3_600_000 }),
}

/**
 * Creates a local chain whose hashes follow from the seed, and on which all members are registered,
 * the validators with stake. The servers of its miners stop when the result is disposed of.
 */
export function createStage({ seed, validators, miners }: Participants) {
  const entropy = createSeededBytes(seed, 'chain')
  const hotkeysOf = (members: readonly Member[]) => members.map(({ account }) => account.hotkey)
  const random = () => entropy(32)
  const chain = createLocalChain(hotkeysOf(validators), hotkeysOf(miners), { random })
  /** Returns the time of all members in milliseconds, which passes only with a new block. */
  const now = (): number => chain.height * BLOCK_MS
  /** The clock of games. No time passes between two blocks, so no player runs out of time. */
  const clock: Clock = { now, after: () => () => {} }

  const servers = new Map<string, Awaited<ReturnType<typeof serveMiner>>>()
  const ask = endpointAgents({ ...PATIENT_CALLER, concurrency: 32, now })
  /** Asks miners at their servers. Ports differ between runs, so the committed chute is a name. */
  const agent: AgentFactory = (miner, ...rest) =>
    ask({ ...miner, chute: servers.get(miner.chute)?.url ?? '' }, ...rest)

  const produce = () => chain.produce(now())
  /** Starts a miner's server. Commits the miner in the next block, with its name as its chute. */
  async function enter({ name, skill = 0, account }: Member): Promise<void> {
    servers.set(name, await serveMiner({ skill, seed: `${seed} ${name}` }, 0))
    const model = `affine/${name}-${account.hotkey}`
    const fields = encodeCommitment({ kind: 'miner', model, revision: 'main', chute: name })
    const included = chain.commit(account, fields)
    await produce()
    await included
  }
  function close(): void {
    for (const server of servers.values()) server[Symbol.dispose]()
  }
  return { chain, now, clock, agent, produce, enter, [Symbol.dispose]: close }
}

/**
 * Returns the agent of the liar, which asks no miner. In its transcripts the best miner gives up
 * and the others play perfectly. Such transcripts are valid, so only statistics can expose them.
 */
function createLiarAgent({ miners }: Participants): AgentFactory {
  const [best] = [...miners].sort((a, b) => (b.skill ?? 0) - (a.skill ?? 0))
  return ({ hotkey }) =>
    async (messages) => {
      if (hotkey === best?.account.hotkey) return { content: 'I give up.' }
      const prompt = messages.at(-1)?.content ?? ''
      return { content: playerReply(prompt, { skill: 1, seed: '' }) }
    }
}
