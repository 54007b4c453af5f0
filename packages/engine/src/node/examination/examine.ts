import type { Snapshot } from '@affine/chain'
import type { Network, Subnet } from '@affine/settlement'
import { loadsOf } from '../../load.ts'
import { checkAnswers } from './answer-check.ts'
import { checkBucket, checkOwnBucket } from './bucket-check.ts'
import {
  checkAnswer,
  checkClock,
  checkLatency,
  checkRuntime,
  checkWeightsWay,
} from './chain-checks.ts'
import type { Examination } from './examination.ts'
import { type Finding, fail, ok } from './finding.ts'
import { checkChutes, checkDisks } from './own-checks.ts'
import { type Seat, seatOf } from './seat.ts'
import { checkLastWeights, checkMiner, checkValidator } from './seat-checks.ts'

/** What each check of a hotkey on a subnet finds, one after the other. */
export async function* examine(
  subnet: Subnet,
  examination: Examination,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { chain, network } = subnet
  const { hotkey, base, wording } = examination
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
    yield await checkAnswers({ ...said, hotkey }, { ...examination, network, signal })
    return
  }
  yield* checkOwn(examination, network, snapshot)
  if (seat === undefined) {
    yield fail('registered', `${hotkey} is not`, `register it on subnet ${chain.netuid}`)
    return
  }
  yield okRegistered(seat)
  yield* checkValidator(seat)
  yield checkLastWeights(seat, block, network.protocol.epochBlocks)
  if (said?.kind !== 'miner') yield await checkBucket(said, { hotkey, network, base, wording })
}

function okRegistered({ neuron: { hotkey, uid } }: Seat): Finding {
  return ok('registered', `${hotkey} is uid ${uid}`)
}

/** Checks a validator's disk, account at Chutes and bucket, if its settings are complete. */
async function* checkOwn(
  { hotkey, own, wording }: Examination,
  network: Network,
  snapshot: Snapshot,
): AsyncGenerator<Finding> {
  if ('check' in own) {
    yield own
    return
  }
  yield* await checkDisks(own, loadsOf(network.protocol, snapshot), wording)
  yield* await checkChutes(network, own, wording)
  yield* checkOwnBucket(own, { hotkey, network, base: own.bucket.folder, wording })
}
