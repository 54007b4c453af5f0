import { listEpisodes } from '@affine/blocks'
import type { Chain, Neuron } from '@affine/chain'
import { computeTrust, type State } from '@affine/duel'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Event, Setup, Transaction, ValidatorTask } from '../setup.ts'

const TRANSACTIONS: readonly Transaction['kind'][] = ['seal', 'attest', 'weights']
const TASKS: readonly ValidatorTask['kind'][] = [
  ...TRANSACTIONS,
  ...(['head', 'state', 'lane', 'miner', 'chutes', 'node'] as const),
]
const OUTCOMES = ['sent', 'refused', 'withheld']

/** Metrics of a validator and its process for Prometheus. */
export type Metrics = { readonly on: Setup['on']; readonly read: () => Promise<Response> }

/**
 * Returns the metrics of a validator. `lastUpdate` is the block in which it last set weights before
 * the start. `now` returns the time of day in milliseconds. Queries the node for the age of each
 * head; if this fails, the metric stays unchanged, and no problem is counted.
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
  const measureAge = async (block: number): Promise<void> => {
    const seenMs = now()
    headMs = seenMs
    const madeMs = await chain.time(block).catch(() => undefined)
    if (madeMs !== undefined) meters.made.set((seenMs - madeMs) / 1000)
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
    offset: gauge(
      'epoch_offset_blocks',
      'Place of the newest finalized block in its epoch, 0 for the first block',
    ),
    left: gauge('lane_challenges_left', 'Samples that the lane of this validator still lacks'),
    own: gauge('own_trust', 'Trust of this validator, 0 to 1'),
    empty: gauge('throne_empty', 'Is 1 if there is no champion'),
    weights: gauge('last_weights_block', 'Block in which this validator last set weights'),
  }
}

function createCounters(register: Registry) {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `affine_${name}_total`, help, labelNames, registers: [register] })
  return {
    samples: counter('samples', 'Recorded samples: episodes of one miner, and games of two', 'env'),
    faults: counter('faults', 'Episodes that ended without a usable reply', 'env', 'side', 'fault'),
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
 * Starts the counters of transactions and problems at 0, so that each first event is an increase.
 * Other counters start with their first event.
 */
function initCounters({ sent, problems }: Meters): void {
  for (const task of TRANSACTIONS) for (const outcome of OUTCOMES) sent.inc({ task, outcome }, 0)
  for (const task of TASKS) problems.inc({ task }, 0)
}

function recordEvent(event: Event, meters: Meters, hotkey: string): void {
  switch (event.type) {
    case 'head':
      meters.block.set(event.head.number)
      meters.offset.set(event.offset)
      break
    case 'sample':
      recordSample(event, meters)
      break
    case 'state':
      recordState(event.state, meters, hotkey)
      break
    case 'epoch':
      meters.left.set(0)
      recordState(event.settled.state, meters, hotkey)
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

function recordState({ champion, trust }: State, meters: Meters, hotkey: string): void {
  meters.own.set(computeTrust(trust[hotkey]) / 1e6)
  meters.empty.set(Number(champion === undefined))
}
