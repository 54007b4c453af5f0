import { randomBytes } from 'node:crypto'
import { type Chain, ChainError, type Snapshot } from '@affine/chain'
import {
  type Asked,
  type Client,
  countFailures,
  type Hear,
  replyCountsText,
  tryMiner,
  whyNoAnswer,
} from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { type Network, type Open, type Subnet, SYSTEM_CLOCK } from '@affine/settlement'
import { type ChainOptions, onChain, output } from '@affine/terminal'
import { agentsHere } from '../service/agents.ts'
import { type Prices, sayCosts } from '../service/costs.ts'
import { loadsOf } from '../service/load.ts'
import { problemText, type ReadSettings } from '../settings/settings.ts'
import { type Finding, fail, ok, sayFinding, warn } from './findings.ts'
import { checkBucket, checkChutes, checkDisks, checkOwnBucket } from './own-checks.ts'
import { checkLastWeights, checkMiner, checkValidator, seatOf } from './seat.ts'

/** The hotkey that is examined, and what it would validate with as far as that could be read. */
interface Examined {
  readonly hotkey: string
  readonly read: ReadSettings
  readonly prices: Prices
  /** The folder or URL that holds the buckets announced by name. */
  readonly base: string | undefined
  /** Will it validate, even if its slot has a miner's model? */
  readonly validates?: boolean
}

/**
 * Says what duels take, and what is found of a hotkey, over a chain that `open` opens. Resolves
 * with whether nothing of it must be mended. Rejects with wrong usage, and once it is interrupted;
 * a chain that does not answer is a finding.
 */
export async function sayExamination(
  open: Open,
  options: ChainOptions,
  examined: Examined,
): Promise<boolean> {
  const screen = output(options.json)
  let isWell = true
  const say = (finding: Finding): void => {
    isWell &&= finding.result !== 'fail'
    sayFinding(finding, screen, examined.read.hide)
  }
  try {
    await onChain(open, options, async (subnet, _, signal) => {
      const { chain, network } = subnet
      const snapshot = await chain.snapshot((await chain.head()).number)
      sayCosts(loadsOf(network.protocol, snapshot), examined.prices, screen)
      for await (const finding of examine(subnet, examined, signal)) say(finding)
    })
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    say(fail('chain', error.message))
  }
  return isWell
}

/** What each check of a hotkey on a subnet finds, one after the other. */
async function* examine(
  subnet: Subnet,
  { hotkey, read, base, validates = false }: Examined,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { chain, network } = subnet
  const { epochBlocks, templates } = network.protocol
  const snapshot = yield* checkChain(chain)
  const seat = seatOf(hotkey, snapshot)
  const said = seat?.said ?? null
  const registered = ok('registered', `${hotkey} is uid ${seat?.neuron.uid}`)
  if (seat !== undefined && said?.kind === 'miner' && !validates) {
    yield registered
    yield* checkMiner(seat)
    yield* checkAnswers({ ...said, hotkey, templates }, network, signal)
    return
  }
  yield* checkOwn(hotkey, read, subnet, snapshot)
  if (seat === undefined) {
    yield fail('registered', `${hotkey} is not`, `register it on subnet ${chain.netuid}`)
    return
  }
  yield registered
  yield* checkValidator(seat)
  yield checkLastWeights(seat, snapshot.head.number, epochBlocks)
  if (said?.kind !== 'miner') yield await checkBucket(said, { hotkey, network, base })
}

/** Does the chain answer, is what it says new, and has its runtime all that is asked of it? */
async function* checkChain(chain: Chain): AsyncGenerator<Finding, Snapshot> {
  const asked = Date.now()
  const snapshot = await chain.snapshot((await chain.head()).number)
  const answered = Date.now()
  const { head, revealPeriod } = snapshot
  const answer = `subnet ${chain.netuid}, block ${head.number}, in ${(answered - asked) / 1000} s`
  yield ok('chain', `${answer}; genesis ${chain.genesis}`)
  const seconds = Math.round((answered - (await chain.time(head.number))) / 1000)
  const found = `the newest block is ${seconds} s old`
  // A block becomes final a few block times after it was made.
  const isRight = seconds >= -2 && seconds <= 120
  yield isRight
    ? ok('clock', found)
    : fail('clock', found, 'set the clock, or take a node that keeps up')
  // A local chain has no runtime.
  const faults = await chain.runtimeFaults?.()
  if (faults?.length === 0) yield ok('runtime', 'has all that is asked of it')
  const advice = 'look for a newer af, and try it before it sends anything'
  for (const fault of faults ?? []) yield fail('runtime', fault, advice)
  const timelocked = `timelocked, and opened by the chain ${revealPeriod} tempos later`
  yield ok('weights', revealPeriod === 0 ? 'set in the open' : timelocked)
  return snapshot
}

const AT_ONCE =
  'eight challenges were played at once, and validators play more: answer several at once, or ' +
  'refuse what is more with 429'

/**
 * Does what a miner committed answer, asked as validators ask it, and what are its replies worth?
 * If only the model's files keep it from being asked, as they are not public, that is the finding
 * `files`. Rejects when `signal` aborts.
 */
export async function* checkAnswers(
  miner: Asked,
  network: Network,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  let arePrivate = false
  const clientOf = (on: Hear): Client => {
    const agents = agentsHere(network, (event) => {
      arePrivate ||= 'reason' in event && event.reason === 'not-shown'
      on(event)
    })
    return (replyMs, end) => agents(miner, replyMs, { epoch: 0, signal: end })
  }
  const asked = performance.now()
  try {
    const why = await whyNoAnswer(miner.chute, clientOf, { ...NODE_CALLER, signal })
    const ms = Math.ceil(performance.now() - asked)
    if (arePrivate) {
      const advice = "make the model's files public before its turn"
      yield fail('files', `no validator asks ${miner.chute} yet`, `${advice}: ${why}`)
      return
    }
    if (why !== undefined) {
      yield fail('answer', `${miner.chute} gives no usable reply`, why)
      return
    }
    yield ok('answer', `${miner.chute} gives a usable reply, in ${ms} ms`)
    const envs = Object.keys(network.protocol.envs)
    const secret = randomBytes(32).toString('hex')
    const trial = { envs, secret, time: SYSTEM_CLOCK, signal }
    const { failures, on } = countFailures()
    for (const counts of await tryMiner(clientOf(on), trial)) {
      const text = `${counts.env}: ${replyCountsText(counts).join('; ')}`
      yield counts.legal === 0 ? fail('replies', text) : ok('replies', text)
    }
    for (const [text, count] of failures) {
      const advice = text.startsWith('late:') ? AT_ONCE : undefined
      yield warn('replies', `${count} × no usable reply: ${text}`, advice)
    }
  } catch (error) {
    signal.throwIfAborted()
    const { message } = error as Error
    if (error instanceof RangeError) yield warn('answer', 'the chute is not asked', message)
    else yield fail('answer', `${miner.chute} gives no usable reply`, message)
  }
}

/**
 * Checks a validator's disk, account at Chutes and bucket, if its settings are complete. Anyone who
 * names a folder means to validate from here.
 */
async function* checkOwn(
  hotkey: string,
  { settings, found, problems }: ReadSettings,
  subnet: Subnet,
  snapshot: Snapshot,
): AsyncGenerator<Finding> {
  if (settings === undefined) {
    const isMeant = found.some(({ setting, value }) => setting.name === 'folder' && value)
    const lacks = problems.map(problemText).join('; ')
    const text = `disk, bucket and Chutes are not looked at: ${lacks}`
    yield isMeant ? fail('settings', text) : warn('settings', text)
    return
  }
  const { network } = subnet
  yield* await checkDisks(settings, loadsOf(network.protocol, snapshot))
  yield* await checkChutes(subnet, settings)
  yield* checkOwnBucket(settings, { hotkey, network, base: settings.bucket.folder })
}
