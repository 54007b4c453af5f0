import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@affine/blocks'
import { BLOCK_MS, encodeCommitment, type LocalChain } from '@affine/chain'
import { type State, stateRoot } from '@affine/duel'
import { type Event, Validator } from '@affine/engine'
import { type AgentOf, type Caller, endpointAgents, playerReply } from '@affine/miners'
import { NODE_CALLER, serveMiner } from '@affine/miners/node'
import { toJson } from '@affine/report'
import { LOCAL_NETWORK, type Network } from '@affine/settlement'
import { createLocalChain } from '@affine/settlement/node'
import { NAMES_FILE } from '@affine/terminal'
import { bucketIn } from '../../buckets/backends.ts'
import { placesOf } from '../../settings/settings.ts'
import { type Cast, LIAR, type Member, namesIn, seededBytes } from './cast.ts'

/**
 * For how many epochs it goes on without a contender: long enough to see the ratio decay.
 */
const QUIET_EPOCHS = 2
const MOST_EPOCHS = 60

/** Hears what happens in each validator. */
export type OnMemberEvent = (member: Member, event: Event) => void

/**
 * Runs a whole subnet in this process: a local chain, miners behind HTTP on loopback, validators
 * each with its own folder. The next block is made when every validator has finished with the last
 * one, so a run follows from its seed. Everything that is needed to verify it is left in `out`: the
 * folder `buckets`, the chain's export `chain.json` and the members' names. Resolves with the chain
 * and the state that every validator agreed on.
 *
 * @throws Error when a validator has a problem, they disagree about the state, or it never comes to
 *   rest.
 */
export async function runSubnet(
  cast: Cast,
  out: string,
  on: OnMemberEvent,
  network: Network = LOCAL_NETWORK,
): Promise<{ readonly chain: LocalChain; readonly state: State }> {
  using stage = new Stage(cast)
  const { chain } = stage
  for (const miner of cast.miners) await stage.enter(miner)
  const faults: Error[] = []
  const validators = cast.validators.map((member) => {
    const { name, account } = member
    const folders = {
      folder: join(out, 'validators', name),
      bucket: bucketIn(join(out, 'buckets')),
    }
    return new Validator({
      ...placesOf(folders, account.hotkey, network),
      chain,
      account,
      network,
      emit: true,
      now: stage.now,
      clock: stage.clock,
      random: seededBytes(cast.seed, name),
      agent: name === LIAR ? liarsAgent(cast) : stage.agent,
      on: (event) => {
        if (event.type === 'problem') faults.push(event.error)
        on(member, event)
      },
    })
  })
  const state = await comeToRest(stage, validators, faults)
  await stage.produce() // the last weights
  await writeFile(join(out, 'chain.json'), chain.export())
  await writeFile(join(out, NAMES_FILE), toJson(namesIn(cast)))
  return { chain, state }
}

/** Makes blocks until there was no contender for a while, and returns the state then. */
async function comeToRest(
  stage: Stage,
  validators: readonly Validator[],
  faults: readonly Error[],
): Promise<State> {
  let state: State | undefined
  let quietEpochs = 0
  while (state === undefined || quietEpochs < QUIET_EPOCHS) {
    await stage.produce()
    const head = await stage.chain.head()
    for (const validator of validators) validator.onHead(head)
    await Promise.all(validators.map((validator) => validator.idle()))
    // A validator would try again, as when its disk is full. A demo does not wait for that.
    if (faults[0]) throw new Error(`the demo ends: ${faults[0].message}`)
    const latest = agreedState(validators)
    if (latest === undefined || latest.epoch === (state?.epoch ?? 0)) continue
    state = latest
    quietEpochs += 1
    if (state.duels.length > 0) quietEpochs = 0
    if (state.epoch > MOST_EPOCHS)
      throw new Error(`the subnet did not come to rest in ${MOST_EPOCHS} epochs`)
  }
  return state
}

/** The state that all validators agree on; undefined before the first. */
function agreedState(validators: readonly Validator[]): State | undefined {
  const states = validators.map(({ state }) => state)
  const roots = new Set(states.map((state) => state && stateRoot(state)))
  if (roots.size > 1)
    throw new Error(`validators came to different states: ${[...roots].join(', ')}`)
  return states[0]
}

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
  readonly #servers = new Map<string, Awaited<ReturnType<typeof serveMiner>>>()

  /** All members are registered from the start, the validators with stake. */
  constructor({ seed, validators, miners }: Cast) {
    const entropy = seededBytes(seed, 'chain')
    const hotkeysOf = (members: readonly Member[]): readonly string[] =>
      members.map(({ account }) => account.hotkey)
    const random = () => entropy(32)
    this.chain = createLocalChain(hotkeysOf(validators), hotkeysOf(miners), { random })
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

/**
 * How the liar samples: it asks no miner. In its transcripts the best miner gives up and the others
 * play perfectly. Such transcripts replay, so only statistics can expose them.
 */
function liarsAgent({ miners }: Cast): AgentOf {
  const [best] = [...miners].sort((a, b) => (b.skill ?? 0) - (a.skill ?? 0))
  return ({ hotkey }) =>
    async (messages) => {
      if (hotkey === best?.account.hotkey) return { content: 'I give up.' }
      const prompt = messages.at(-1)?.content ?? ''
      return { content: playerReply(prompt, { skill: 1, seed: '' }) }
    }
}
