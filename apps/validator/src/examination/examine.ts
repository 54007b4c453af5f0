import { randomBytes } from 'node:crypto'
import { type Account, type Chain, ChainError, type Snapshot } from '@affine/chain'
import { countFailures, probeMiner, type TargetMiner, tryMiner } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { type Network, type Subnet, type SubnetOpener, SYSTEM_CLOCK } from '@affine/settlement'
import { type ChainOptions, output, withChain } from '@affine/terminal'
import { openClient } from '../service/agents.ts'
import type { SettingsReport } from '../settings/settings.ts'
import { describe, type Finding, note, printFinding } from './findings.ts'
import { checkChutes, checkDisks, checkOwnBucket, estimateDay } from './own-checks.ts'
import { checkCommitment, checkLastWeights, checkValidator, findSeat, type Seat } from './seat.ts'

/**
 * The account to examine, and the settings with which it would validate, as far as they could be
 * read.
 */
interface ExaminedAccount {
  readonly account: Account
  readonly read: SettingsReport
  /** Whether the account will validate, even with a miner's commitment. Default: see `isMining`. */
  readonly isValidator?: boolean
}

/**
 * Prints the findings about an account. Resolves with whether no check failed. Rejects for wrong
 * usage, and at Ctrl-C. A chain that does not respond is a finding.
 */
export async function printExamination(
  open: SubnetOpener,
  options: ChainOptions,
  examined: ExaminedAccount,
): Promise<boolean> {
  const screen = output(options.json)
  let isWell = true
  const say = (finding: Finding): void => {
    isWell &&= finding.result !== 'fail'
    printFinding(finding, screen, examined.read.mask)
    screen.wait('waiting for the next check')
  }
  try {
    await withChain(open, options, async (subnet, _, signal) => {
      for await (const finding of examine(subnet, examined, signal)) say(finding)
    })
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    say(note('CHAIN_FAILS', describe(error)))
  }
  return isWell
}

/**
 * Reports whether an account mines: it committed a model, or it has no commitment, no permit, no
 * stake, and no folder to validate in.
 */
function isMining({ neuron, commitment }: Seat, read: SettingsReport): boolean {
  const { permit, stake } = neuron
  if (commitment === null) return !permit && stake === 0n && !namesFolder(read)
  return commitment.kind === 'miner'
}

/** Reports whether a folder is named: then the user means to validate here. */
const namesFolder = ({ entries }: SettingsReport): boolean =>
  entries.some(({ setting, value }) => setting.name === 'folder' && value !== undefined)

async function* examine(
  subnet: Subnet,
  examined: ExaminedAccount,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { chain, network } = subnet
  const { account, read, isValidator } = examined
  const { hotkey } = account
  const { epochBlocks, templates } = network.protocol
  const snapshot = yield* checkChain(chain)
  const seat = findSeat(hotkey, snapshot)
  const isMiner = seat !== undefined && !isValidator && isMining(seat, read)
  if (isMiner) {
    yield note('REGISTERED', { hotkey, uid: seat.neuron.uid })
    // A miner needs neither permit nor stake.
    const { commitment, slot } = seat
    yield commitment === null ? checkCommitment(seat) : note('SLOT', slot)
    if (commitment?.kind === 'miner')
      yield* checkAnswers({ ...commitment, hotkey, templates }, network, signal)
    return
  }
  if (account.scheme !== 'sr25519') yield note('WRONG_KEY', { hotkey })
  yield* checkOwn(hotkey, read, subnet, snapshot)
  if (seat === undefined) {
    yield note('NOT_REGISTERED', { hotkey, netuid: chain.netuid })
    return
  }
  yield note('REGISTERED', { hotkey, uid: seat.neuron.uid })
  yield* checkValidator(seat)
  yield checkLastWeights(seat, snapshot.head.number, epochBlocks)
}

async function* checkChain(chain: Chain): AsyncGenerator<Finding, Snapshot> {
  const startMs = Date.now()
  const snapshot = await chain.snapshot((await chain.head()).number)
  const endMs = Date.now()
  const { head } = snapshot
  const { genesis, netuid } = chain
  yield note('CHAIN', { genesis, netuid, block: head.number, seconds: (endMs - startMs) / 1000 })
  const seconds = Math.round((endMs - (await chain.time(head.number))) / 1000)
  // The head is the last final block, and blocks become final a few block times later.
  const isRight = seconds >= -2 && seconds <= 120
  yield note(isRight ? 'CLOCK' : 'CLOCK_WRONG', { seconds })
  // A local chain has no runtime.
  const faults = await chain.runtimeFaults?.()
  if (faults?.length === 0) yield note('RUNTIME', {})
  for (const fault of faults ?? []) yield note('RUNTIME_LACKS', { fault })
  return snapshot
}

/**
 * Plays trial challenges with a committed miner as validators do, and yields findings about the
 * replies. Rejects when `signal` aborts.
 */
export async function* checkAnswers(miner: TargetMiner, network: Network, signal: AbortSignal) {
  const { chute } = miner
  const caller = { ...NODE_CALLER, timeoutMs: 30_000, signal }
  const startMs = performance.now()
  try {
    const why = await probeMiner((on) => openClient(network, miner, on), caller)
    const ms = Math.ceil(performance.now() - startMs)
    if (why !== undefined) {
      const arePrivate = why.reason === 'not-shown'
      yield note(arePrivate ? 'FILES_PRIVATE' : 'NO_ANSWER', { chute, ...why })
      return
    }
    yield note('ANSWER', { chute, ms })
    yield* checkReplies(miner, network, signal)
  } catch (error) {
    signal.throwIfAborted()
    const failure = describe(error as Error)
    const silent = { chute, reason: failure.error, text: failure.message }
    yield error instanceof RangeError ? note('NOT_ASKED', failure) : note('NO_ANSWER', silent)
  }
}

async function* checkReplies(miner: TargetMiner, network: Network, signal: AbortSignal) {
  const envs = Object.keys(network.protocol.envs)
  const secret = randomBytes(32).toString('hex')
  const trial = { envs, secret, time: SYSTEM_CLOCK, signal }
  const { failures, on } = countFailures()
  for (const counts of await tryMiner(openClient(network, miner, on), trial))
    yield note(counts.legal === 0 ? 'NO_LEGAL_REPLY' : 'REPLIES', counts)
  for (const failure of failures.values())
    yield note(failure.reason === 'late' ? 'REPLIES_LATE' : 'REPLIES_FAIL', failure)
}

/**
 * Checks a validator's disk, account at Chutes and bucket, if its settings are complete. Missing
 * settings are a failure only if a folder is named.
 */
async function* checkOwn(hotkey: string, read: SettingsReport, subnet: Subnet, snapshot: Snapshot) {
  const { settings, problems } = read
  if (settings === undefined) {
    yield note(namesFolder(read) ? 'SETTINGS_INCOMPLETE' : 'SETTINGS_MISSING', {
      problems: problems.join('; '),
    })
    return
  }
  yield* await checkDisks(settings, estimateDay(subnet.network.protocol, snapshot.neurons))
  yield* await checkChutes(subnet, settings)
  yield* checkOwnBucket(settings, hotkey, subnet.network)
}
