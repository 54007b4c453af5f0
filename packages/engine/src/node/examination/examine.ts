import { randomBytes } from 'node:crypto'
import type { Chain, Snapshot } from '@affine/chain'
import type { Miner } from '@affine/duel'
import { type Hear, replyCountsText, tryMiner, whyNoAnswer } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { type Network, type Subnet, SYSTEM_CLOCK } from '@affine/settlement'
import { loadsOf } from '../../load.ts'
import { checkBucket, checkOwnBucket } from './bucket-check.ts'
import { type Examination, type Finding, fail, ok, warn } from './examination.ts'
import { checkChutes, checkDisks } from './own-checks.ts'
import { checkLastWeights, checkMiner, checkValidator, type Seat, seatOf } from './seat.ts'

/** What each check of a hotkey on a subnet finds, one after the other. */
export async function* examine(
  subnet: Subnet,
  examination: Examination,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { chain, network } = subnet
  const { hotkey, base } = examination
  const asked = Date.now()
  const snapshot = await chain.snapshot((await chain.head()).number)
  const answered = Date.now()
  const { number: block } = snapshot.head
  const age = Math.round((answered - (await chain.time(block))) / 1000)
  yield checkAnswer(chain, snapshot, answered - asked)
  yield await checkLatency(chain)
  yield checkClock(age)
  yield* await checkRuntime(chain)
  yield checkWeightsWay(snapshot)

  const seat = seatOf(hotkey, snapshot)
  const said = seat?.said ?? null
  if (seat !== undefined && said?.kind === 'miner' && !examination.validates) {
    yield okRegistered(seat)
    yield* checkMiner(seat)
    yield* checkAnswers({ ...said, hotkey }, examination.agents, network, signal)
    return
  }
  yield* checkOwn(examination, subnet, snapshot)
  if (seat === undefined) {
    yield fail('registered', `${hotkey} is not`, `register it on subnet ${chain.netuid}`)
    return
  }
  yield okRegistered(seat)
  yield* checkValidator(seat)
  yield checkLastWeights(seat, block, network.protocol.epochBlocks)
  if (said?.kind !== 'miner') yield await checkBucket(said, { hotkey, network, base })
}

/** Longer than the answer of a node on another continent takes. */
const SLOW_MS = 1000

/** The finding that the chain answered with its newest block, after so many milliseconds. */
function checkAnswer({ netuid, genesis }: Chain, { head }: Snapshot, ms: number): Finding {
  const answer = `subnet ${netuid}, block ${head.number}, in ${ms / 1000} s`
  return ok('chain', `${answer}; genesis ${genesis}`)
}

/** Is the clock right? By it, the newest block is so many seconds old. */
function checkClock(seconds: number): Finding {
  const found = `the newest block is ${seconds} s old`
  // A block becomes final a few block times after it was made.
  if (seconds >= -2 && seconds <= 120) return ok('clock', found)
  return fail('clock', found, 'set the clock, or take a node that keeps up')
}

/** How long the node takes for a small request: the median of three. */
async function checkLatency(chain: Chain): Promise<Finding> {
  const times: number[] = []
  for (let i = 0; i < 3; i++) {
    const asked = performance.now()
    await chain.head()
    times.push(performance.now() - asked)
  }
  const [, ms = 0] = times.sort((a, b) => a - b)
  const found = `the node answers in ${Math.ceil(ms)} ms`
  if (ms <= SLOW_MS) return ok('latency', found)
  return warn('latency', found, 'a validator asks it hundreds of times an epoch: take a nearer one')
}

/** Does the chain's runtime have everything that the client uses? A local chain has no runtime. */
async function checkRuntime(chain: Chain): Promise<readonly Finding[]> {
  const faults = await chain.runtimeFaults?.()
  if (faults === undefined) return []
  if (faults.length === 0) return [ok('runtime', 'has all that is asked of it')]
  const advice = 'look for a newer af, and try it before it sends anything'
  return faults.map((fault) => fail('runtime', fault, advice))
}

/** How weights are set. This is for information: it is never wrong. */
function checkWeightsWay({ revealPeriod }: Snapshot): Finding {
  if (revealPeriod === 0) return ok('weights', 'set in the open')
  return ok('weights', `timelocked, and opened by the chain ${revealPeriod} tempos later`)
}

function okRegistered({ neuron: { hotkey, uid } }: Seat): Finding {
  return ok('registered', `${hotkey} is uid ${uid}`)
}

/** Does what a miner committed answer, and what are its replies worth? */
async function* checkAnswers(
  miner: Miner,
  agents: Examination['agents'],
  network: Network,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const asked = performance.now()
  const { templates, envs } = network.protocol
  const tried = { ...miner, templates }
  try {
    const ask = { ...NODE_CALLER, agents: (on: Hear) => agents(network, on), signal }
    const why = await whyNoAnswer(tried, ask)
    const ms = Math.ceil(performance.now() - asked)
    if (why !== undefined) {
      yield fail('answer', `${miner.chute} gives no usable reply`, why)
      return
    }
    yield ok('answer', `${miner.chute} gives a usable reply, in ${ms} ms`)
    const secret = randomBytes(32).toString('hex')
    const trial = { envs: Object.keys(envs), secret, time: SYSTEM_CLOCK, signal }
    for (const counts of await tryMiner(tried, { ...trial, agents: agents(network, () => {}) })) {
      const text = `${counts.env}: ${replyCountsText(counts).join('; ')}`
      yield counts.legal === 0 ? fail('replies', text) : ok('replies', text)
    }
  } catch (error) {
    signal.throwIfAborted()
    const { message } = error as Error
    if (error instanceof RangeError) yield warn('answer', 'the chute is not asked', message)
    else yield fail('answer', `${miner.chute} gives no usable reply`, message)
  }
}

/** Checks a validator's disk, account at Chutes and bucket, if its settings are complete. */
async function* checkOwn(
  { hotkey, own, faultText }: Examination,
  subnet: Subnet,
  snapshot: Snapshot,
): AsyncGenerator<Finding> {
  const { network } = subnet
  if ('check' in own) {
    yield own
    return
  }
  yield* await checkDisks(own, loadsOf(network.protocol, snapshot), faultText)
  yield* await checkChutes(subnet, own)
  yield* checkOwnBucket(own, { hotkey, network, base: own.bucket.folder })
}
