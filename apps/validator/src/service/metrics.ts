import { trustOf } from '@affine/duel'
import type { Settled } from '@affine/settlement'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Event, Setup } from './setup.ts'

const SENT = ['seal', 'attest', 'weights', 'reveal']
/** What problems are counted as, by their first word: labels have few values, whatever happens. */
const TROUBLED = [...SENT, 'turn', 'lane', 'node', 'Chutes', 'miner', 'other']
const CALLED = ['reply', 'platform', 'miner', 'own']
const LANES = ['accepted', 'rejected', 'set_aside']

/** What Prometheus is told of a validator and its process. */
export type Metrics = { readonly on: Setup['on']; readonly read: () => Promise<Response> }

/**
 * The metrics of the validator `hotkey`, whose last weights are in the block `lastUpdate`, by a
 * clock in milliseconds.
 */
export function metricsOf(hotkey: string, lastUpdate: number, now: () => number): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const meters = { ...gaugesIn(register), ...countersIn(register) }
  meters.weights.set(lastUpdate)
  startCounting(meters)
  let seen = now()
  const on: Setup['on'] = (event) => {
    if (event.type === 'head') seen = now()
    note(event, meters, hotkey)
  }
  const read = async (): Promise<Response> => {
    meters.age.set((now() - seen) / 1000)
    const headers = { 'content-type': register.contentType }
    return new Response(await register.metrics(), { headers })
  }
  return { on, read }
}

type Meters = ReturnType<typeof gaugesIn> & ReturnType<typeof countersIn>

function gaugesIn(register: Registry) {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `affine_${name}`, help, labelNames, registers: [register] })
  return {
    block: gauge('head_block', 'The last finalized block it has seen'),
    age: gauge('head_age_seconds', 'Time since it saw that block'),
    epoch: gauge('epoch', 'The epoch of that block'),
    offset: gauge('epoch_offset_blocks', 'Blocks of the epoch before that block'),
    left: gauge('lane_challenges_left', 'Challenges of its lane that are not played yet'),
    lanes: gauge('lanes', 'Lanes in the last epoch decided, by what became of them', 'outcome'),
    trust: gauge('own_trust', 'How far it is trusted, 0 to 1'),
    ratio: gauge('ratio_to_beat', 'The ratio that a contender has to beat, 0 to 1'),
    weights: gauge('last_weights_block', 'The block in which it last set weights'),
  }
}

function countersIn(register: Registry) {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `affine_${name}_total`, help, labelNames, registers: [register] })
  return {
    samples: counter(
      'samples',
      'Challenges played, by the verdict for the contender',
      'env',
      'verdict',
    ),
    faults: counter('faults', 'Episodes that ended without a usable reply', 'env', 'side', 'fault'),
    calls: counter(
      'miner_calls',
      'Requests to miners, by what came: a reply, or whose doing it was',
      'outcome',
    ),
    sent: counter(
      'transactions',
      'Transactions that are in a block, and others',
      'what',
      'outcome',
    ),
    problems: counter('problems', 'What failed, and was or will be tried again', 'what'),
  }
}

/** Counts from the start, so that the first of a kind is an increase. */
function startCounting({ sent, problems, calls }: Meters): void {
  for (const what of SENT) {
    sent.inc({ what, outcome: 'sent' }, 0)
    sent.inc({ what, outcome: 'refused' }, 0)
  }
  for (const what of TROUBLED) problems.inc({ what }, 0)
  for (const outcome of CALLED) calls.inc({ outcome }, 0)
}

function note(event: Event, meters: Meters, hotkey: string): void {
  if (event.type === 'head') noteHead(event, meters)
  if (event.type === 'sample') noteSample(event, meters)
  if (event.type === 'epoch') noteEpoch(event.settled, meters, hotkey)
  if (event.type === 'sent') noteSent(event, meters)
  if (event.type === 'problem') noteProblem(event, meters)
  if (event.type === 'call') meters.calls.inc({ outcome: event.outcome })
}

type Of<Type extends Event['type']> = Extract<Event, { readonly type: Type }>

function noteHead({ head, epoch, offset }: Of<'head'>, meters: Meters): void {
  meters.block.set(head.number)
  meters.epoch.set(epoch)
  meters.offset.set(offset)
}

function noteSample({ sample, left }: Of<'sample'>, meters: Meters): void {
  const { env, verdict, champion, contender } = sample
  meters.left.set(left)
  meters.samples.inc({ env, verdict })
  for (const [side, { fault }] of Object.entries({ champion, contender })) {
    if (fault) meters.faults.inc({ env, side, fault })
  }
}

function noteEpoch({ state, report }: Settled, meters: Meters, hotkey: string): void {
  meters.left.set(0)
  for (const outcome of LANES) meters.lanes.set({ outcome }, 0)
  for (const lane of Object.values(report.lanes)) meters.lanes.inc({ outcome: outcomeOf(lane) })
  meters.trust.set(trustOf(state.trust[hotkey]) / 1e6)
  meters.ratio.set((state.duel?.ratio ?? state.ratio) / 1e6)
}

function outcomeOf({ accepted, setAside }: Settled['report']['lanes'][string]): string {
  if (setAside.length > 0) return 'set_aside'
  return accepted ? 'accepted' : 'rejected'
}

function noteSent({ what, block }: Of<'sent'>, meters: Meters): void {
  const kind = kindOf(what)
  if (SENT.includes(kind)) meters.sent.inc({ what: kind, outcome: 'sent' })
  if (kind === 'weights') meters.weights.set(block)
}

function noteProblem({ what }: Of<'problem'>, meters: Meters): void {
  const kind = kindOf(what)
  if (SENT.includes(kind)) meters.sent.inc({ what: kind, outcome: 'refused' })
  meters.problems.inc({ what: TROUBLED.includes(kind) ? kind : 'other' })
  if (kind === 'Chutes') meters.calls.inc({ outcome: 'own' })
}

/** What a transaction or a problem is about: its first word. */
function kindOf(what: string): string {
  return what.split(' ')[0] ?? ''
}
