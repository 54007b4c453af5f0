import type { Snapshot } from '@affine/chain'
import { loadsOf } from '@affine/engine'
import type { Network, Subnet } from '@affine/settlement'
import type { ReadSettings } from '../settings/settings.ts'
import { checkAnswers } from './answer-check.ts'
import { checkBucket, checkOwnBucket } from './bucket-check.ts'
import {
  checkAnswer,
  checkClock,
  checkLatency,
  checkRuntime,
  checkWeightsWay,
} from './chain-checks.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { checkChutes, checkDisks } from './own-checks.ts'
import { type Seat, seatOf } from './seat.ts'
import { checkLastWeights, checkMiner, checkValidator } from './seat-checks.ts'

/** The validator or miner that is examined. */
export interface Subject {
  readonly hotkey: string
  /** What it would validate by, as far as it was told. */
  readonly read: ReadSettings
  /** Where buckets announced by name are. */
  readonly base: string | undefined
  /** Is it to validate, though its slot may have a miner's model? */
  readonly validates?: boolean
}

/** What each look at somebody on a subnet finds, one after the other. */
export async function* examine(
  subnet: Subnet,
  subject: Subject,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { chain, network } = subnet
  const { hotkey, base } = subject
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
  if (seat !== undefined && said?.kind === 'miner' && !subject.validates) {
    yield okRegistered(seat)
    yield* checkMiner(seat)
    yield await checkAnswers({ ...said, hotkey }, { network, signal })
    return
  }
  yield* checkOwn(subject, network, snapshot)
  if (seat === undefined) {
    yield fail('registered', `${hotkey} is not`, `register it on subnet ${chain.netuid}`)
    return
  }
  yield okRegistered(seat)
  yield* checkValidator(seat)
  yield checkLastWeights(seat, block, network.protocol.epochBlocks)
  if (said?.kind !== 'miner') yield await checkBucket(said, { hotkey, network, base })
}

function okRegistered({ neuron: { hotkey, uid } }: Seat): Finding {
  return ok('registered', `${hotkey} is uid ${uid}`)
}

/** What a validator has here, at Chutes and in its bucket, where its settings are whole. */
async function* checkOwn(
  { hotkey, read }: Subject,
  network: Network,
  snapshot: Snapshot,
): AsyncGenerator<Finding> {
  const { settings } = read
  if (settings === undefined) {
    yield notWhole(read)
    return
  }
  yield* await checkDisks(settings, loadsOf(network.protocol, snapshot))
  yield* await checkChutes(network, settings)
  yield* checkOwnBucket(settings, { hotkey, network, base: settings.bucket.folder })
}

/** Anyone who names a folder wants to validate from here. */
function notWhole({ found, problems }: ReadSettings): Finding {
  const isMeant = found.some(({ setting, value }) => setting.name === 'folder' && value)
  const text = `disk, bucket and Chutes are not looked at: ${problems.join('; ')}`
  return isMeant ? fail('settings', text) : warn('settings', text)
}
