import { trust } from '@affine/duel'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Setup } from './setup.ts'

const SENT = ['seal', 'attest', 'weights', 'reveal']
/** What problems are counted as, by their first word: labels have few values, whatever happens. */
const TROUBLED = [...SENT, 'turn', 'lane', 'node', 'Chutes', 'miner', 'other']

/** What Prometheus is told of a validator and its process. */
export type Metrics = { readonly on: Setup['on']; readonly read: () => Promise<Response> }

/**
 * The metrics of the validator `hotkey`, whose last weights are in the block `lastUpdate`, by a
 * clock in milliseconds.
 */
export function metricsOf(hotkey: string, lastUpdate: number, now: () => number): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `affine_${name}`, help, labelNames, registers: [register] })
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `affine_${name}_total`, help, labelNames, registers: [register] })

  const block = gauge('head_block', 'The last finalized block it has seen')
  const age = gauge('head_age_seconds', 'Time since it saw that block')
  const epoch = gauge('epoch', 'The epoch of that block')
  const offset = gauge('epoch_offset_blocks', 'Blocks of the epoch before that block')
  const left = gauge('lane_challenges_left', 'Challenges of its lane that are not played yet')
  const lanes = gauge('lanes', 'Lanes in the last epoch decided, by what became of them', 'outcome')
  const ownTrust = gauge('own_trust', 'How far it is trusted, 0 to 1')
  const ratio = gauge('ratio_to_beat', 'The ratio that a contender has to beat, 0 to 1')
  const weights = gauge('last_weights_block', 'The block in which it last set weights')
  const samples = counter(
    'samples',
    'Challenges played, by the verdict for the contender',
    'env',
    'verdict',
  )
  const lost = counter(
    'faults',
    'Episodes that ended without a usable reply',
    'env',
    'side',
    'fault',
  )
  const calls = counter(
    'miner_calls',
    'Requests to miners, by what came: a reply, or whose doing it was',
    'outcome',
  )
  const sent = counter(
    'transactions',
    'Transactions that are in a block, and others',
    'what',
    'outcome',
  )
  const problems = counter('problems', 'What failed, and was or will be tried again', 'what')
  weights.set(lastUpdate)
  // From the start, so that the first of a kind is an increase.
  for (const what of SENT) for (const outcome of ['sent', 'refused']) sent.inc({ what, outcome }, 0)
  for (const what of TROUBLED) problems.inc({ what }, 0)
  for (const outcome of ['reply', 'platform', 'miner', 'own']) calls.inc({ outcome }, 0)

  let seen = now()
  const on: Setup['on'] = (event) => {
    const [what = ''] = 'what' in event ? event.what.split(' ') : []
    if (event.type === 'head') {
      seen = now()
      block.set(event.head.number)
      epoch.set(event.epoch)
      offset.set(event.offset)
    } else if (event.type === 'sample') {
      const { env, verdict, champion, contender } = event.sample
      left.set(event.left)
      samples.inc({ env, verdict })
      for (const [side, { fault }] of Object.entries({ champion, contender }))
        if (fault) lost.inc({ env, side, fault })
    } else if (event.type === 'epoch') {
      const { state, report } = event.settled
      left.set(0)
      for (const outcome of ['accepted', 'rejected', 'set_aside']) lanes.set({ outcome }, 0)
      for (const { accepted, setAside } of Object.values(report.lanes))
        lanes.inc({
          outcome: setAside.length > 0 ? 'set_aside' : accepted ? 'accepted' : 'rejected',
        })
      ownTrust.set(trust(state.trust[hotkey] ?? { correct: 0, incorrect: 0 }) / 1e6)
      ratio.set((state.duel?.ratio ?? state.ratio) / 1e6)
    } else if (event.type === 'sent' || event.type === 'problem') {
      if (SENT.includes(what))
        sent.inc({ what, outcome: event.type === 'sent' ? 'sent' : 'refused' })
      if (event.type === 'problem') problems.inc({ what: TROUBLED.includes(what) ? what : 'other' })
      else if (what === 'weights') weights.set(event.block)
      if (what === 'Chutes') calls.inc({ outcome: 'own' })
    } else if (event.type === 'call') calls.inc({ outcome: event.outcome })
  }
  const read = async (): Promise<Response> => {
    age.set((now() - seen) / 1000)
    return new Response(await register.metrics(), {
      headers: { 'content-type': register.contentType },
    })
  }
  return { on, read }
}
