import { type Duel, ratioToBeat, type State, sumTallies, trustOf } from '@affine/duel'
import type { Settled } from '@affine/settlement'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Event, Setup } from '../setup.ts'
import { LANES, type Meters, metersIn, SENT, TROUBLED } from './meters.ts'

/** What Prometheus is told of a validator and its process. */
export type Metrics = { readonly on: Setup['on']; readonly read: () => Promise<Response> }

/** A validator as it starts: `lastUpdate` is the block of its last weights. */
interface Starting {
  readonly hotkey: string
  readonly lastUpdate: number
  readonly emit: boolean
}

/** The metrics of a validator, by a clock in milliseconds. */
export function metricsOf({ hotkey, lastUpdate, emit }: Starting, now: () => number): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const meters = metersIn(register)
  meters.weights.set(lastUpdate)
  meters.emits.set(Number(emit))
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

function note(event: Event, meters: Meters, hotkey: string): void {
  switch (event.type) {
    case 'head':
      noteHead(event, meters)
      break
    case 'made':
      meters.made.set(event.ageMs / 1000)
      break
    case 'disk':
      noteDisk(event, meters)
      break
    case 'sample':
      noteSample(event, meters)
      break
    case 'state':
      noteState(event.state, meters, hotkey)
      break
    case 'epoch':
      noteEpoch(event.settled, meters, hotkey)
      break
    case 'sent':
      noteSent(event, meters)
      break
    case 'withheld':
      countSent(event.what, 'withheld', meters)
      break
    case 'problem':
      noteProblem(event, meters)
      break
    case 'call':
      noteCall(event, meters)
  }
}

type Of<Type extends Event['type']> = Extract<Event, { readonly type: Type }>

function noteHead({ head, epoch, offset }: Of<'head'>, meters: Meters): void {
  meters.block.set(head.number)
  meters.epoch.set(epoch)
  meters.offset.set(offset)
}

function noteDisk({ folder, free, size }: Of<'disk'>, meters: Meters): void {
  meters.free.set({ folder }, free)
  meters.size.set({ folder }, size)
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
  noteState(state, meters, hotkey)
}

function outcomeOf({ accepted, setAside }: Settled['report']['lanes'][string]): string {
  if (setAside.length > 0) return 'set_aside'
  return accepted ? 'accepted' : 'rejected'
}

/** Validators that are no longer there are removed. */
function noteState(state: State, meters: Meters, hotkey: string): void {
  const { champion, duel, trust } = state
  meters.ratio.set(ratioToBeat(state) / 1e6)
  meters.own.set(trustOf(trust[hotkey]) / 1e6)
  meters.trust.reset()
  for (const [each, record] of Object.entries(trust))
    meters.trust.set({ hotkey: each }, trustOf(record) / 1e6)
  meters.miners.reset()
  if (champion) meters.miners.set({ role: 'champion', hotkey: champion.hotkey }, 1)
  meters.tallies.reset()
  if (duel) noteDuel(duel, meters)
}

function noteDuel({ contender, tallies }: Duel, meters: Meters): void {
  meters.miners.set({ role: 'contender', hotkey: contender.hotkey }, 1)
  for (const [env, epochs] of Object.entries(tallies)) {
    for (const { wins, losses, played } of Object.values(sumTallies(epochs))) {
      meters.tallies.inc({ env, verdict: 'win' }, wins)
      meters.tallies.inc({ env, verdict: 'loss' }, losses)
      meters.tallies.inc({ env, verdict: 'tie' }, played - wins - losses)
    }
  }
}

function noteCall(event: Of<'call'>, { calls }: Meters): void {
  if (event.outcome === 'reply') calls.inc({ outcome: 'reply', reason: '' })
  else calls.inc({ outcome: event.outcome, reason: event.reason })
}

function noteSent({ what, block }: Of<'sent'>, meters: Meters): void {
  countSent(what, 'sent', meters)
  if (kindOf(what) === 'weights') meters.weights.set(block)
}

function noteProblem({ what }: Of<'problem'>, meters: Meters): void {
  const kind = kindOf(what)
  countSent(what, 'refused', meters)
  meters.problems.inc({ what: TROUBLED.includes(kind) ? kind : 'other' })
  if (kind === 'Chutes') meters.calls.inc({ outcome: 'own', reason: '' })
}

function countSent(what: string, outcome: string, { sent }: Meters): void {
  const kind = kindOf(what)
  if (SENT.includes(kind)) sent.inc({ what: kind, outcome })
}

/** What a transaction or a problem is about: its first word. */
function kindOf(what: string): string {
  return what.split(' ')[0] ?? ''
}
