import { randomBytes } from 'node:crypto'
import { type Account, type Chain, ChainError, type Snapshot } from '@affine/chain'
import {
  type Asked,
  type Client,
  countFailures,
  type Hear,
  tryMiner,
  whyNoAnswer,
} from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { type Network, type Open, type Subnet, SYSTEM_CLOCK } from '@affine/settlement'
import { type ChainOptions, onChain, output } from '@affine/terminal'
import { agentsHere } from '../service/agents.ts'
import { loadsOf, sayCosts } from '../service/load.ts'
import type { ReadSettings } from '../settings/settings.ts'
import { type Finding, failed, found, sayFinding } from './findings.ts'
import { checkBucket, checkChutes, checkDisks, checkOwnBucket } from './own-checks.ts'
import { checkLastWeights, checkValidator, seatOf } from './seat.ts'

/** The account that is examined, and what it would validate with, as far as that could be read. */
interface Examined {
  readonly account: Account
  readonly read: ReadSettings
  /** The folder or URL that holds the buckets announced by name. */
  readonly base: string | undefined
  /** Will it validate, even if its slot has a miner's model? */
  readonly validates?: boolean
}

/**
 * Prints the costs of duels, and the findings about an account, on a chain that `open` opens.
 * Resolves with whether nothing of it must be fixed. Rejects with wrong usage, and once it is
 * interrupted; a chain that does not answer is a finding.
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
      const loads = loadsOf(network.protocol, snapshot)
      const isMiner = minerIn(snapshot, examined) !== undefined
      sayCosts(isMiner ? ['miner'] : ['validator', 'miner'], loads, screen)
      for await (const finding of examine(subnet, examined, signal)) say(finding)
    })
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    say(found('CHAIN_FAILS', failed(error)))
  }
  return isWell
}

/** The seat of an account that has committed a model, and will not validate; else undefined. */
function minerIn(snapshot: Snapshot, { account, validates }: Examined) {
  const seat = seatOf(account.hotkey, snapshot)
  return seat?.said?.kind === 'miner' && !validates ? { ...seat, said: seat.said } : undefined
}

/** What each check of an account on a subnet finds, one after the other. */
async function* examine(
  subnet: Subnet,
  examined: Examined,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { chain, network } = subnet
  const { account, read, base } = examined
  const { hotkey } = account
  const { epochBlocks, templates } = network.protocol
  const snapshot = yield* checkChain(chain)
  const miner = minerIn(snapshot, examined)
  if (miner !== undefined) {
    yield found('REGISTERED', { hotkey, uid: miner.neuron.uid })
    // A miner needs neither permit nor stake.
    yield found('SLOT', miner.slot)
    yield* checkAnswers({ ...miner.said, hotkey, templates }, network, signal)
    return
  }
  yield checkWeights(snapshot)
  if (account.scheme !== 'sr25519') yield found('WRONG_KEY', { hotkey })
  yield* checkOwn(hotkey, read, subnet, snapshot)
  const seat = seatOf(hotkey, snapshot)
  if (seat === undefined) {
    yield found('NOT_REGISTERED', { hotkey, netuid: chain.netuid })
    return
  }
  yield found('REGISTERED', { hotkey, uid: seat.neuron.uid })
  yield* checkValidator(seat)
  yield checkLastWeights(seat, snapshot.head.number, epochBlocks)
  if (seat.said?.kind !== 'miner') yield await checkBucket(seat.said, { hotkey, network, base })
}

/** Does the chain answer, is what it says new, and has its runtime all that is asked of it? */
async function* checkChain(chain: Chain): AsyncGenerator<Finding, Snapshot> {
  const asked = Date.now()
  const snapshot = await chain.snapshot((await chain.head()).number)
  const answered = Date.now()
  const { head } = snapshot
  const { genesis, netuid } = chain
  yield found('CHAIN', { genesis, netuid, block: head.number, seconds: (answered - asked) / 1000 })
  const seconds = Math.round((answered - (await chain.time(head.number))) / 1000)
  // A block becomes final a few block times after it was made.
  const isRight = seconds >= -2 && seconds <= 120
  yield found(isRight ? 'CLOCK' : 'CLOCK_WRONG', { seconds })
  // A local chain has no runtime.
  const faults = await chain.runtimeFaults?.()
  if (faults?.length === 0) yield found('RUNTIME', {})
  for (const fault of faults ?? []) yield found('RUNTIME_LACKS', { fault })
  return snapshot
}

/** Are weights set in the open? */
const checkWeights = ({ revealPeriod }: Snapshot): Finding =>
  revealPeriod === 0 ? found('WEIGHTS_OPEN', {}) : found('WEIGHTS_HIDDEN', { tempos: revealPeriod })

/**
 * Does what a miner committed answer, asked as validators ask it, and what are its replies worth?
 * Rejects when `signal` aborts.
 */
export async function* checkAnswers(
  miner: Asked,
  network: Network,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { chute } = miner
  const clientOf = (on: Hear): Client => {
    const agents = agentsHere(network, on)
    return (replyMs, end) => agents(miner, replyMs, { epoch: 0, signal: end })
  }
  const asked = performance.now()
  try {
    const why = await whyNoAnswer(chute, clientOf, { ...NODE_CALLER, signal })
    const ms = Math.ceil(performance.now() - asked)
    if (why !== undefined) {
      const arePrivate = why.reason === 'not-shown'
      yield found(arePrivate ? 'FILES_PRIVATE' : 'NO_ANSWER', { chute, ...why })
      return
    }
    yield found('ANSWER', { chute, ms })
    yield* checkReplies(clientOf, Object.keys(network.protocol.envs), signal)
  } catch (error) {
    signal.throwIfAborted()
    const failure = failed(error as Error)
    if (error instanceof RangeError) yield found('NOT_ASKED', failure)
    else yield found('NO_ANSWER', { chute, reason: failure.error, text: failure.message })
  }
}

async function* checkReplies(
  clientOf: (on: Hear) => Client,
  envs: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const secret = randomBytes(32).toString('hex')
  const trial = { envs, secret, time: SYSTEM_CLOCK, signal }
  const { failures, on } = countFailures()
  for (const counts of await tryMiner(clientOf(on), trial))
    yield found(counts.legal === 0 ? 'NO_LEGAL_REPLY' : 'REPLIES', counts)
  for (const failure of failures.values())
    yield found(failure.reason === 'late' ? 'REPLIES_LATE' : 'REPLIES_FAIL', failure)
}

/**
 * Checks a validator's disk, account at Chutes and bucket, if its settings are complete. Anyone who
 * names a folder means to validate from here.
 */
async function* checkOwn(
  hotkey: string,
  { settings, found: given, problems }: ReadSettings,
  subnet: Subnet,
  snapshot: Snapshot,
): AsyncGenerator<Finding> {
  if (settings === undefined) {
    const isMeant = given.some(({ setting, value }) => setting.name === 'folder' && value)
    yield found(isMeant ? 'SETTINGS_INCOMPLETE' : 'SETTINGS_MISSING', { problems })
    return
  }
  const { network } = subnet
  yield* await checkDisks(settings, loadsOf(network.protocol, snapshot))
  yield* await checkChutes(subnet, settings)
  yield* checkOwnBucket(settings, { hotkey, network, base: settings.bucket.folder })
}
