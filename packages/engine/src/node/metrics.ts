import { listEpisodes } from '@affine/blocks'
import type { Chain, Neuron } from '@affine/chain'
import { computeTrust, type Duel, listTallies, type Protocol, type State } from '@affine/duel'
import type { EpochResult } from '@affine/settlement'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Event, Setup, Transaction, ValidatorTask } from '../setup.ts'

const TRANSACTIONS: readonly Transaction['kind'][] = ['seal', 'attest', 'weights']
const TASKS: readonly ValidatorTask['kind'][] = [
  ...TRANSACTIONS,
  ...(['head', 'state', 'lane', 'miner', 'chutes', 'node'] as const),
]
const LANE_OUTCOMES: readonly string[] = ['accepted', 'rejected', 'set_aside']
const OUTCOMES = ['sent', 'refused', 'withheld']

/** Metrics of a validator and its process for Prometheus. */
export type Metrics = { readonly on: Setup['on']; readonly read: () => Promise<Response> }

/**
 * Returns the metrics of a validator. `lastUpdate` is the block in which it last set weights before
 * the start. `now` returns the time of day in milliseconds. Queries the node for the age of one
 * head at a time; if this fails, the metric stays unchanged, and no problem is counted.
 */
export function createMetrics(
  { hotkey, lastUpdate, emit }: Pick<Neuron, 'hotkey' | 'lastUpdate'> & Pick<Setup, 'emit'>,
  chain: Pick<Chain, 'time'>,
  now: () => number,
): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const meters = { ...createGauges(register), ...createCounters(register) }
  initCounters(meters)
  meters.weights.set(lastUpdate)
  meters.emits.set(Number(emit))
  let headMs = now()
  let isAsking = false
  const measureAge = async (block: number): Promise<void> => {
    const seenMs = now()
    headMs = seenMs
    if (isAsking) return
    isAsking = true
    const madeMs = await chain.time(block).catch(() => undefined)
    if (madeMs !== undefined) meters.made.set((seenMs - madeMs) / 1000)
    isAsking = false
  }
  const on: Setup['on'] = (event) => {
    if (event.type === 'head') void measureAge(event.head.number)
    recordEvent(event, meters, hotkey)
  }
  const read = async (): Promise<Response> => {
    meters.age.set((now() - headMs) / 1000)
    const headers = { 'content-type': register.contentType }
    return new Response(await register.metrics(), { headers })
  }
  return { on, read }
}

/** All meters except those of the Node process. */
type Meters = ReturnType<typeof createGauges> & ReturnType<typeof createCounters>

function createGauges(register: Registry) {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `affine_${name}`, help, labelNames, registers: [register] })
  return {
    emits: gauge('emits', 'Is 1 if transactions are sent, 0 in a dry run'),
    block: gauge('head_block', 'Newest finalized block'),
    age: gauge('head_age_seconds', 'Time since the newest finalized block arrived'),
    made: gauge(
      'head_made_seconds',
      'Age of the newest finalized block when it arrived, by the local clock',
    ),
    epoch: gauge('epoch', 'Epoch of the newest finalized block'),
    offset: gauge(
      'epoch_offset_blocks',
      'Place of the newest finalized block in its epoch, 0 for the first block',
    ),
    left: gauge('lane_challenges_left', 'Samples that the lane of this validator still lacks'),
    lanes: gauge('lanes', 'Lanes in the last decided epoch, by result', 'outcome'),
    own: gauge('own_trust', 'Trust of this validator, 0 to 1'),
    trust: gauge('trust', 'Trust of each validator, 0 to 1', 'hotkey'),
    miners: gauge('miner', 'The champion and its contenders: 1 each', 'role', 'hotkey'),
    tallies: gauge(
      'duel_challenges',
      "Challenges of each duel in accepted lanes, by the contender's result",
      'contender',
      'env',
      'verdict',
    ),
    ratio: gauge('ratio_to_beat', 'The ratio to beat, 0 to 1'),
    weights: gauge('last_weights_block', 'Block in which this validator last set weights'),
  }
}

function createCounters(register: Registry) {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `affine_${name}_total`, help, labelNames, registers: [register] })
  return {
    samples: counter('samples', 'Recorded samples: episodes of one miner, and games of two', 'env'),
    faults: counter('faults', 'Episodes that ended without a usable reply', 'env', 'side', 'fault'),
    calls: counter(
      'miner_calls',
      'Requests to miners, by outcome (a reply, or the side that failed) and reason',
      'outcome',
      'reason',
    ),
    sent: counter(
      'transactions',
      'Transactions in a block, refused or failed, or withheld in a dry run',
      'task',
      'outcome',
    ),
    problems: counter('problems', 'Failures of tasks that were or will be repeated', 'task'),
  }
}

/**
 * Starts the counters of transactions, problems and replies at 0, so that each first event is an
 * increase. Other counters start with their first event.
 */
function initCounters({ sent, problems, calls }: Meters): void {
  for (const task of TRANSACTIONS) for (const outcome of OUTCOMES) sent.inc({ task, outcome }, 0)
  for (const task of TASKS) problems.inc({ task }, 0)
  calls.inc({ outcome: 'reply', reason: '' }, 0)
}

function recordEvent(event: Event, meters: Meters, hotkey: string): void {
  switch (event.type) {
    case 'head':
      meters.block.set(event.head.number)
      meters.epoch.set(event.epoch)
      meters.offset.set(event.offset)
      break
    case 'sample':
      recordSample(event, meters)
      break
    case 'state':
      recordState(event.state, meters, hotkey)
      break
    case 'epoch':
      recordEpoch(event.settled, meters, hotkey)
      break
    case 'sent':
      meters.sent.inc({ task: event.task.kind, outcome: 'sent' })
      if (event.task.kind === 'weights') meters.weights.set(event.block)
      break
    case 'withheld':
      meters.sent.inc({ task: event.task.kind, outcome: 'withheld' })
      break
    case 'problem':
      meters.problems.inc({ task: event.task.kind })
      if (event.phase === 'send') meters.sent.inc({ task: event.task.kind, outcome: 'refused' })
      break
    case 'call':
      meters.calls.inc({ outcome: event.outcome, reason: 'reason' in event ? event.reason : '' })
  }
}

type EventOf<Type extends Event['type']> = Extract<Event, { readonly type: Type }>

function recordSample({ sample, champion, left }: EventOf<'sample'>, meters: Meters): void {
  const { env } = sample
  meters.left.set(left)
  meters.samples.inc({ env })
  for (const { miner, fault } of listEpisodes(sample)) {
    const side = miner === champion ? 'champion' : 'contender'
    if (fault) meters.faults.inc({ env, side, fault })
  }
}

function recordEpoch({ state, report }: EpochResult, meters: Meters, hotkey: string): void {
  meters.left.set(0)
  for (const outcome of LANE_OUTCOMES) meters.lanes.set({ outcome }, 0)
  const verdicts = report.duels.flatMap(({ envs }) => Object.values(envs))
  for (const [validator, { accepted }] of Object.entries(report.lanes)) {
    const isAside = verdicts.some(({ setAside }) => setAside.includes(validator))
    const outcome = accepted ? 'accepted' : 'rejected'
    meters.lanes.inc({ outcome: isAside ? 'set_aside' : outcome })
  }
  recordState(state, meters, hotkey)
}

/** Records a state, and removes validators that no longer exist. */
function recordState(state: State, meters: Meters, hotkey: string): void {
  const { champion, duels, trust, ratio, protocol } = state
  meters.ratio.set(ratio / 1e6)
  meters.own.set(computeTrust(trust[hotkey]) / 1e6)
  meters.trust.reset()
  for (const [each, record] of Object.entries(trust))
    meters.trust.set({ hotkey: each }, computeTrust(record) / 1e6)
  meters.miners.reset()
  if (champion) meters.miners.set({ role: 'champion', hotkey: champion.hotkey }, 1)
  meters.tallies.reset()
  for (const duel of duels) recordDuel(duel, protocol, meters)
}

function recordDuel(duel: Duel, protocol: Protocol, meters: Meters): void {
  const { hotkey } = duel.contender
  meters.miners.set({ role: 'contender', hotkey }, 1)
  for (const env of Object.keys(protocol.envs)) {
    const tallies = listTallies(duel, env, protocol).flatMap((lanes) => Object.values(lanes))
    for (const { wins, losses, played } of tallies) {
      meters.tallies.inc({ contender: hotkey, env, verdict: 'win' }, wins)
      meters.tallies.inc({ contender: hotkey, env, verdict: 'loss' }, losses)
      meters.tallies.inc({ contender: hotkey, env, verdict: 'tie' }, played - wins - losses)
    }
  }
}
