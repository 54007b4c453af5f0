import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'

const DEPLOY = new URL('../../../deploy/', import.meta.url)
const RULES = fileURLToPath(new URL('prometheus-alerts.yml', DEPLOY))
const hasPromtool = spawnSync('promtool', ['--version']).status === 0
const folder = testFolder('alerts')

/** The values of each series, one a minute. */
type Series = Readonly<Record<string, string>>

/** Returns a test for promtool: whether an alert fires, given these series of one validator. */
function testOf([alert, fires, eval_time, , series]: (typeof CASES)[number]) {
  const labels = 'instance="v",job="affine"'
  const whole = (name: string) =>
    name.includes('{') ? name.replace('{', `{${labels},`) : `${name}{${labels}}`
  const given = Object.entries(series)
  const input_series = given.map(([name, values]) => ({ series: whole(name), values }))
  const expr = `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`
  const exp_samples = [{ labels: '{}', value: Number(fires) }]
  return { interval: '1m', input_series, promql_expr_test: [{ expr, eval_time, exp_samples }] }
}

const attests = (sent: string, withheld: string, since = '0') => ({
  'affine_transactions_total{task="attest",outcome="sent"}': sent,
  'affine_transactions_total{task="attest",outcome="withheld"}': withheld,
  process_start_time_seconds: `${since}x300`,
})
const [CHAMPION, EMPTY] = ['0x300', '1x300'].map((series) => ({ affine_throne_empty: series }))
const weightsOf = (block: number, emits: number) => ({
  affine_head_block: '2000x300',
  affine_last_weights_block: `${block}x300`,
  affine_emits: `${emits}x300`,
})
const lane = (left: number, offset: number) => ({
  affine_lane_challenges_left: `${left}x300`,
  affine_epoch_offset_blocks: `${offset}x300`,
})
const problems = (task: string, values: string) => ({
  [`affine_problems_total{task="${task}"}`]: values,
})
const silent = (...sides: readonly string[]) => {
  const faults = sides.map((side) => `affine_faults_total{env="e",side="${side}",fault="no-reply"}`)
  const ties = { 'affine_samples_total{env="e",verdict="tie"}': '0+2x300' }
  return { ...ties, ...Object.fromEntries(faults.map((series) => [series, '0+1x300'])) }
}
const seals = (outcome: string) => ({
  [`affine_transactions_total{task="seal",outcome="${outcome}"}`]: '0+1x300',
})
const clock = (made: number, age: number) => ({
  affine_head_made_seconds: `${made}x300`,
  affine_head_age_seconds: `${age}x300`,
})

/** Cases: an alert, whether it fires, the time of the evaluation, a description, and the series. */
const CASES: readonly (readonly [string, boolean, string, string, Series])[] = [
  ['AffineDown', true, '10m', 'no answer', { up: '0x300' }],
  ['AffineDown', true, '10m', 'nothing to scrape', {}],
  ['AffineDown', false, '10m', 'an answer', { up: '1x300' }],
  ['AffineRestarts', true, '1h', 'many', { process_start_time_seconds: '0+60x300' }],
  ['AffineRestarts', false, '1h', 'none', { process_start_time_seconds: '9x300' }],
  ['AffineNoBlocks', true, '10m', 'no block', { affine_head_age_seconds: '300x300' }],
  ['AffineNoBlocks', false, '10m', 'a block', { affine_head_age_seconds: '12x300' }],
  ['AffineNoAttestation', true, '4h', 'none sent', attests('1x300', '0x300')],
  ['AffineNoAttestation', true, '4h', 'none in a dry run', attests('0x300', '7x300')],
  ['AffineNoAttestation', false, '4h', 'sent', attests('0x71 1x71 2x71 3x71', '0x300')],
  ['AffineNoAttestation', false, '4h', 'withheld', attests('0x300', '0x71 1x71 2x71 3x71')],
  ['AffineNoAttestation', false, '4h', 'just started', attests('0x300', '0x300', '9000')],
  ['AffineDryRun', true, '25h', 'for a day', { affine_emits: '0x1600' }],
  ['AffineDryRun', false, '23h', 'for less', { affine_emits: '0x1600' }],
  ['AffineDryRun', false, '25h', 'sending', { affine_emits: '1x1600' }],
  ['AffineWeightsOld', true, '1h', 'with a champion', { ...weightsOf(1000, 1), ...CHAMPION }],
  ['AffineWeightsOld', false, '1h', 'an empty throne', { ...weightsOf(1000, 1), ...EMPTY }],
  ['AffineWeightsOld', false, '1h', 'in a dry run', { ...weightsOf(1000, 0), ...CHAMPION }],
  ['AffineWeightsOld', false, '1h', 'set lately', { ...weightsOf(1500, 1), ...CHAMPION }],
  ['AffineThroneEmpty', true, '4h', 'for hours', { ...EMPTY }],
  ['AffineThroneEmpty', false, '2h', 'not for long', { ...EMPTY }],
  ['AffineThroneEmpty', false, '4h', 'not empty', { ...CHAMPION }],
  ['AffineRefused', true, '1h', 'again and again', seals('refused')],
  ['AffineRefused', false, '1h', 'withheld, not refused', seals('withheld')],
  ['AffineLaneLate', true, '10m', 'at block 200', lane(5, 200)],
  ['AffineLaneLate', false, '10m', 'at block 100', lane(5, 100)],
  ['AffineLaneLate', false, '10m', 'all played', lane(0, 200)],
  ['AffineChutes', true, '1h', 'a refusal', problems('chutes', '0x55 1x300')],
  ['AffineChutes', false, '1h', 'none', problems('chutes', '1x300')],
  ['AffineNoReplies', true, '2h', 'of both miners', silent('champion', 'contender')],
  ['AffineNoReplies', false, '2h', 'of one miner', silent('champion')],
  ['AffineTrustLow', true, '4h', 'low for hours', { affine_own_trust: '0.4x300' }],
  ['AffineTrustLow', false, '4h', "a newcomer's", { affine_own_trust: '0.5x300' }],
  ['AffineProblems', true, '1h', 'many', problems('head', '0+1x300')],
  ['AffineProblems', false, '1h', 'only of miners', problems('miner', '0+1x300')],
  ['AffineNodes', true, '1h', 'many', problems('node', '0+2x300')],
  ['AffineNodes', false, '1h', 'some', problems('node', '0+1x300')],
  ['AffineClock', true, '1h', 'blocks that are 300 s old', clock(300, 5)],
  ['AffineClock', true, '1h', 'blocks of the future', clock(-30, 5)],
  ['AffineClock', false, '1h', 'blocks that are 30 s old', clock(30, 5)],
  ['AffineClock', false, '1h', 'no new blocks', clock(300, 300)],
]

const promtool = (...words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8' })
  expect(status, stdout + stderr).toBe(0)
}

it.skipIf(!hasPromtool)('Prometheus fires an alert or not, as each case states', () => {
  const file = join(folder, 'test.json') // JSON is YAML
  const rules = { rule_files: [RULES], evaluation_interval: '5m' }
  writeFileSync(file, JSON.stringify({ ...rules, tests: CASES.map(testOf) }))
  promtool('test', 'rules', file)
})

it.skipIf(!hasPromtool)('Prometheus loads the alerts with the scrape configuration', () => {
  promtool('check', 'config', fileURLToPath(new URL('prometheus.yml', DEPLOY)))
})

it('every alert has a case in which it fires and a case in which it is silent', () => {
  const names = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  for (const fires of [true, false]) {
    const tried = CASES.filter((each) => each[1] === fires).map(([name]) => name)
    expect([...new Set(tried)].sort()).toEqual([...names].sort())
  }
})
