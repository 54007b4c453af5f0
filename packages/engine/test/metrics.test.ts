import type { Sample } from '@affine/blocks'
import { minerClient } from '@affine/miners'
import type { EpochResult } from '@affine/settlement'
import { describe, expect, it, vi } from 'vitest'
import { words } from '../../../test/words.ts'
import { createMetrics } from '../src/node/metrics.ts'
import type { Event } from '../src/setup.ts'
import { headOf } from './one-validator.ts'

const HOTKEY = 'me'
const OWN = { hotkey: HOTKEY, lastUpdate: 41 }

/** Returns the values that Prometheus reads, by series. */
async function valuesOf(response: Response): Promise<Record<string, number>> {
  const lines = (await response.text()).split('\n').filter((line) => /^affine_/.test(line))
  return Object.fromEntries(
    lines.map((line) => [line.replace(/ [^ ]+$/, ''), Number(/[^ ]+$/.exec(line)?.[0])]),
  )
}

const reasonIn = (name: string): string => /reason="(\w*)"/.exec(name)?.[1] ?? ''

describe('metrics', () => {
  let time = 0
  const MULT8 = 'mult8@0.1.0'
  const sample = { env: MULT8, miner: 'first', fault: 'no-reply' } as unknown as Sample
  const tally = [2, 3, 0, 0]
  const [accepted, rejected] = [{ accepted: true }, { accepted: false }]
  const tallies = [{ [MULT8]: { a: tally, b: tally } }, { [MULT8]: { a: tally } }]
  const settled = {
    state: {
      trust: {
        [HOTKEY]: { correct: 1_000_000, incorrect: 0 },
        other: { correct: 0, incorrect: 0 },
      },
      ratio: 620_000,
      protocol: { envs: { [MULT8]: { quotaFirst: 9, quotaMost: 9 } } },
      champion: { hotkey: 'first' },
      duels: [
        { contender: { hotkey: 'second' }, tallies },
        { contender: { hotkey: 'third' }, tallies: [] },
      ],
    },
    report: {
      duels: [{ envs: { [MULT8]: { setAside: ['b'] } } }, { envs: { [MULT8]: { setAside: [] } } }],
      lanes: { a: accepted, b: accepted, c: rejected, d: accepted },
    },
  } as unknown as EpochResult
  const chain = { time: async () => -30_500 }
  const metrics = createMetrics({ ...OWN, emit: false }, chain, () => time)
  const read = async () => valuesOf(await metrics.read())

  it('exist from the start, each with a help text', async () => {
    const response = await metrics.read()
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
    const text = await response.clone().text()
    expect(text).toContain('process_cpu_seconds_total')
    const names = words(`
      head_block head_age_seconds head_made_seconds emits epoch epoch_offset_blocks
      lane_challenges_left samples_total faults_total miner_calls_total lanes own_trust trust
      miner duel_challenges ratio_to_beat transactions_total last_weights_block problems_total
    `)
    for (const name of names)
      expect(text).toMatch(new RegExp(`^# HELP affine_${name} [A-Z].{10,}$`, 'm'))
    const values = await valuesOf(response)
    expect(values.affine_last_weights_block).toBe(41)
    expect(values.affine_emits).toBe(0)
    for (const task of ['seal', 'attest', 'weights'])
      for (const outcome of ['sent', 'refused', 'withheld'])
        expect(values[`affine_transactions_total{task="${task}",outcome="${outcome}"}`]).toBe(0)
    for (const task of words('head weights state seal lane attest miner chutes node'))
      expect(values[`affine_problems_total{task="${task}"}`]).toBe(0)
  })

  it('follow from events', async () => {
    metrics.on(headOf(67))
    time += 2500
    metrics.on({ type: 'sample', epoch: 2, sample, champion: 'first', left: 12 })
    expect(await read()).toMatchObject({
      affine_head_block: 67,
      affine_epoch: 2,
      affine_epoch_offset_blocks: 7,
      affine_head_age_seconds: 2.5,
      affine_lane_challenges_left: 12,
      'affine_samples_total{env="mult8@0.1.0"}': 1,
      'affine_faults_total{env="mult8@0.1.0",side="champion",fault="no-reply"}': 1,
    })
    metrics.on({ type: 'epoch', settled })
    for (const kind of ['seal', 'attest', 'weights'] as const)
      metrics.on({ type: 'sent', task: { kind, epoch: 2 }, block: 99 })
    const text = 'no reply within 30 s'
    metrics.on({ type: 'call', outcome: 'reply' })
    metrics.on({ type: 'call', outcome: 'platform', reason: 'undelivered', text })
    metrics.on({ type: 'call', outcome: 'miner', reason: 'late', text })
    metrics.on({ type: 'problem', task: { kind: 'chutes' }, error: new Error('why') })
    metrics.on({ type: 'call', outcome: 'reply' })
    metrics.on({ type: 'withheld', task: { kind: 'attest', epoch: 3 } })
    expect(await read()).toMatchObject({
      'affine_transactions_total{task="attest",outcome="withheld"}': 1,
      affine_head_made_seconds: 30.5,
      'affine_trust{hotkey="me"}': 0.666_666,
      'affine_trust{hotkey="other"}': 0.5,
      'affine_miner{role="champion",hotkey="first"}': 1,
      'affine_miner{role="contender",hotkey="second"}': 1,
      'affine_miner{role="contender",hotkey="third"}': 1,
      'affine_duel_challenges{contender="second",env="mult8@0.1.0",verdict="win"}': 6,
      'affine_duel_challenges{contender="second",env="mult8@0.1.0",verdict="loss"}': 9,
      'affine_duel_challenges{contender="second",env="mult8@0.1.0",verdict="tie"}': 12,
      'affine_lanes{outcome="accepted"}': 2,
      'affine_lanes{outcome="rejected"}': 1,
      'affine_lanes{outcome="set_aside"}': 1,
      affine_lane_challenges_left: 0,
      affine_own_trust: 2 / 3 - (2 / 3 - 0.666_666),
      affine_ratio_to_beat: 0.62,
      affine_last_weights_block: 99,
      'affine_transactions_total{task="seal",outcome="sent"}': 1,
      'affine_transactions_total{task="weights",outcome="sent"}': 1,
      'affine_miner_calls_total{outcome="reply",reason=""}': 2,
      'affine_miner_calls_total{outcome="miner",reason="late"}': 1,
    })
  })

  it('omit validators that have left, and duels that have finished', async () => {
    const trust = { third: { correct: 0, incorrect: 0 } }
    const state = { trust, ratio: 510_000, protocol: { envs: {} }, duels: [] }
    metrics.on({ type: 'state', state } as unknown as Event)
    const names = Object.keys(await read()).filter((name) => /trust\{|miner\{|duel_/.test(name))
    expect(names).toEqual(['affine_trust{hotkey="third"}'])
  })

  it('count calls by the status 429, by 5xx, and by any other status together', async () => {
    const statuses = Array.from({ length: 200 }, (_, i) => 400 + i)
    const left = [...statuses]
    const exchange = async () => ({ status: left.shift() ?? 400, headers: {}, text: '', ms: 0 })
    const asking = { exchange, now: () => 0, concurrency: 200, on: metrics.on }
    const client = minerClient({ model: 'm', chute: 'c' }, asking)
    const agent = client(1000, new AbortController().signal)
    await Promise.all(statuses.map(() => agent([{ role: 'user', content: 'And?' }])))
    const calls = Object.entries(await read()).filter(([name]) => name.includes('miner_calls'))
    expect(calls.length).toBeLessThan(15)
    const counts = Object.fromEntries(calls.map(([name, count]) => [reasonIn(name), count]))
    expect(counts).toMatchObject({ 429: 1, '5xx': 100, status: 200 })
  })
})

it('queries the age of one head at a time, and again after a failure', async () => {
  const answers: (() => void)[] = []
  const time = vi.fn(
    (_: number) =>
      new Promise<number>((_, reject) => answers.push(() => reject(new Error('no answer')))),
  )
  const { on, read } = createMetrics({ ...OWN, emit: true }, { time }, Date.now)
  on(headOf(1))
  on(headOf(2))
  expect(time.mock.calls).toEqual([[1]])
  answers[0]?.()
  const callsAfter = () => {
    on(headOf(3))
    return time.mock.calls
  }
  await expect.poll(callsAfter).toEqual([[1], [3]])
  const values = await valuesOf(await read())
  expect(values).toMatchObject({ affine_emits: 1, affine_head_made_seconds: 0 })
})
