import type { Sample } from '@affine/blocks'
import type { EpochResult } from '@affine/settlement'
import { describe, expect, it } from 'vitest'
import { words } from '../../../test/words.ts'
import { createMetrics } from '../src/node/metrics.ts'
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

describe('metrics', () => {
  let time = 0
  const MULT8 = 'mult8@0.1.0'
  const sample = { env: MULT8, miner: 'first', fault: 'no-reply' } as unknown as Sample
  const settledWith = (champion?: object) =>
    ({ state: { trust: { [HOTKEY]: { correct: 1_000_000, incorrect: 0 } }, champion } }) as unknown
  const settled = settledWith({ hotkey: 'first' }) as EpochResult
  const chain = { time: async () => -30_500 }
  const metrics = createMetrics({ ...OWN, emit: false }, chain, () => time)
  const read = async () => valuesOf(await metrics.read())

  it('exist from the start, each with a help text', async () => {
    const response = await metrics.read()
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
    const text = await response.clone().text()
    expect(text).toContain('process_cpu_seconds_total')
    const names = words(`
      head_block head_age_seconds head_made_seconds emits epoch_offset_blocks
      lane_challenges_left samples_total faults_total own_trust throne_empty
      transactions_total last_weights_block problems_total
    `)
    for (const name of names)
      expect(text).toMatch(new RegExp(`^# HELP affine_${name} [A-Z].{10,}$`, 'm'))
    const values = await valuesOf(response)
    expect(values.affine_last_weights_block).toBe(41)
    expect(values.affine_emits).toBe(0)
    expect(values.affine_throne_empty).toBe(0)
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
      affine_epoch_offset_blocks: 7,
      affine_head_age_seconds: 2.5,
      affine_lane_challenges_left: 12,
      'affine_samples_total{env="mult8@0.1.0"}': 1,
      'affine_faults_total{env="mult8@0.1.0",side="champion",fault="no-reply"}': 1,
    })
    metrics.on({ type: 'epoch', settled })
    for (const kind of ['seal', 'attest', 'weights'] as const)
      metrics.on({ type: 'sent', task: { kind, epoch: 2 }, block: 99 })
    metrics.on({ type: 'problem', task: { kind: 'chutes' }, error: new Error('why') })
    metrics.on({ type: 'withheld', task: { kind: 'attest', epoch: 3 } })
    expect(await read()).toMatchObject({
      'affine_transactions_total{task="attest",outcome="withheld"}': 1,
      affine_head_made_seconds: 30.5,
      affine_lane_challenges_left: 0,
      affine_own_trust: 0.666_666,
      affine_throne_empty: 0,
      affine_last_weights_block: 99,
      'affine_transactions_total{task="seal",outcome="sent"}': 1,
      'affine_transactions_total{task="weights",outcome="sent"}': 1,
    })
    metrics.on({ type: 'epoch', settled: settledWith() as EpochResult })
    expect(await read()).toMatchObject({ affine_throne_empty: 1 })
  })
})

it('keeps the age of a head if the node does not state the time of its block', async () => {
  const time = async () => Promise.reject(new Error('no answer'))
  const { on, read } = createMetrics({ ...OWN, emit: true }, { time }, Date.now)
  on(headOf(1))
  const values = await valuesOf(await read())
  expect(values).toMatchObject({ affine_emits: 1, affine_head_made_seconds: 0 })
})
