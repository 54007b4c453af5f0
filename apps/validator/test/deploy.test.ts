import { readFile } from 'node:fs/promises'
import { NO_BLOCK } from '@affine/blocks'
import { account, type Head } from '@affine/chain'
import { firstState } from '@affine/duel'
import type { Event } from '@affine/engine'
import { createMetrics } from '@affine/engine/metrics'
import { type EpochResult, LOCAL_NETWORK } from '@affine/settlement'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AF, killAll, run } from '../../../test/processes.ts'
import { readSettings } from '../src/settings/settings.ts'

const read = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
let [alerts, operating, unit, image, example] = ['', '', '', '', '']
/** Every metric by name, with the observed values of each label. */
const metrics = new Map<string, Map<string, Set<string>>>()

/** One event of each type, so that every metric has a value. */
function events(): Event[] {
  const { hotkey } = account(new Uint8Array(32).fill(1))
  const head: Head = { number: 1, hash: NO_BLOCK }
  const episode = { miner: hotkey, messages: [], reward: 0, ms: 0, fault: 'no-reply' } as const
  const sample = { env: 'mult8@0.1.0', index: 0, challengeId: '', ...episode }
  const [champion, contender] = ['m', 'n'].map((model) => ({
    hotkey,
    model,
    revision: 'main',
    chute: 'c',
  }))
  const tallies = [{ 'mult8@0.1.0': { [hotkey]: [1, 1, 1, 1] } }]
  const state = {
    ...firstState(LOCAL_NETWORK.protocol, 1),
    champion,
    trust: { [hotkey]: { correct: 1, incorrect: 0 } },
    duels: [{ contender, start: 1, frozen: 0, tallies, verdicts: {} }],
  }
  const report = { frozen: false, lanes: {}, duels: [] }
  return [
    { type: 'head', head, epoch: 0, offset: 1 },
    { type: 'made', ageMs: 1 },
    { type: 'sample', epoch: 0, left: 1, champion: hotkey, sample },
    { type: 'epoch', settled: { before: state, state, report } as unknown as EpochResult },
    { type: 'sent', task: { kind: 'seal', epoch: 1 }, block: 1 },
    { type: 'problem', task: { kind: 'head' }, error: new Error('x') },
    { type: 'call', outcome: 'reply' },
  ] as Event[]
}

beforeAll(async () => {
  const files = ['prometheus-alerts.yml', '../docs/errors.md', 'af-validate.service', 'Dockerfile']
  ;[alerts, operating, unit, image, example] = (await Promise.all(
    [...files, 'env.example'].map((name) => read(`deploy/${name}`)),
  )) as [string, string, string, string, string]
  const others = ['operating', 'settings', 'buckets', 'upgrades']
  operating += (await Promise.all(others.map((name) => read(`docs/${name}.md`)))).join('')
  const { hotkey } = account(new Uint8Array(32).fill(1))
  const { on, read: page } = createMetrics({ hotkey, lastUpdate: 0, emit: true }, () => 0)
  for (const event of events()) on(event)
  const text = await (await page()).text()
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    const seen = metrics.get(name) ?? new Map<string, Set<string>>()
    metrics.set(name, seen)
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g))
      seen.set(label, (seen.get(label) ?? new Set()).add(value))
  }
})
afterAll(killAll)

/** Returns the metrics in a query, each with its labels. */
function asked(query: string): { name: string; labels: [string, string][] }[] {
  const names = [...query.matchAll(/\b((?:affine|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)]
  return names.map(([, name = '', labels = '']) => ({
    name,
    labels: [...labels.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(
      ([, key = '', value = '']) => [key, value],
    ),
  }))
}

/** Labels that Prometheus adds to every metric. */
const ADDED = ['instance', 'job']
function expectReal(query: string): void {
  for (const { name, labels } of asked(query)) {
    const seen = metrics.get(name)
    expect(seen, name).toBeDefined()
    for (const [label, value] of labels) {
      if (ADDED.includes(label)) continue
      expect([...(seen?.keys() ?? [])], `${name}{${label}}`).toContain(label)
      // All label values of counters are known from the start.
      if (['task', 'outcome'].includes(label))
        for (const one of value.split('|'))
          expect([...(seen?.get(label) ?? [])], `${name}{${label}="${one}"}`).toContain(one)
    }
  }
  const grouped = [...query.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(/[ ,]+/),
  )
  const known = new Set([
    ...ADDED,
    ...asked(query).flatMap(({ name }) => [...(metrics.get(name)?.keys() ?? [])]),
  ])
  for (const label of grouped) expect([...known], query).toContain(label)
}

describe('metrics in the alerts', () => {
  it('exist', () => {
    const rules = alerts.split(/^ {6}- alert: /m).slice(1)
    expect(rules.length).toBeGreaterThan(10)
    for (const rule of rules) {
      const [, expr = ''] = /expr:(?: >-\n)?([\s\S]*?)\n {8}(?:for|labels):/.exec(rule) ?? []
      expect(expr.trim(), rule).not.toBe('')
      expectReal(expr)
    }
  })
})

describe('the documents for operators', () => {
  const { shown } = readSettings({}, {}, {})
  const names = shown.flatMap(({ by }) => (by ?? '').split(' or '))

  it('list every alert and every refusal of the chain', () => {
    for (const [, name = ''] of alerts.matchAll(/- alert: (\w+)/g))
      expect(operating).toContain(`\`${name}\``)
    for (const name of operating.match(/\bAffine[A-Z]\w+/g) ?? [])
      expect(alerts).toContain(`alert: ${name}\n`)
    const own = [
      'StateDiscarded',
      'Unreachable',
      'WrongGenesis',
      'NotInRuntime',
      'BadReply',
      'Refused',
    ]
    for (const code of [...own, 'UnknownBlock', 'BadLog'])
      expect(operating, code).toContain(`\`${code}\``)
  })

  it('set only existing variables: env.example, the unit, the image', async () => {
    const set = [...example.matchAll(/^#?([A-Z0-9_]+)=/gm)].map(([, name]) => name)
    expect(set.length).toBeGreaterThan(10)
    for (const name of [
      ...set,
      ...(unit.match(/\bAFFINE_\w+/g) ?? []),
      ...(image.match(/\bAFFINE_\w+/g) ?? []),
    ])
      expect(names).toContain(name)
    const start = /^ExecStart=\S+ \S+af\.js (.*)$/m.exec(unit)?.[1]?.split(' ') ?? []
    const help = (await run(AF, [start[0] ?? '', '--help'])).stdout
    for (const word of start.filter((word) => word.startsWith('--')))
      expect(help).toContain(`  ${word} `)
  })

  it('give complete settings once the secrets are filled in', () => {
    const lines = example.split('\n').filter((line) => /^[A-Z]/.test(line))
    const given = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
    const filled: Record<string, string> = {
      ...given,
      CHUTES_API_KEY: 'cpk_x',
      R2_ACCOUNT_ID: 'ab'.repeat(16),
      R2_BUCKET_ID: 'affine',
      R2_PUBLIC_BASE: 'https://x.r2.dev',
      R2_WRITE_ACCESS_KEY_ID: 'id',
      R2_WRITE_SECRET_ACCESS_KEY: 'secret',
      AFFINE_FOLDER: '/var/lib/affine/validator',
    }
    expect(Object.keys(filled).sort()).toEqual([...Object.keys(given), 'AFFINE_FOLDER'].sort())
    const { problems, settings } = readSettings({}, filled, {})
    expect(problems).toEqual([])
    expect(settings).toMatchObject({ network: 'finney', metrics: 9464 })
    expect(settings?.emit).toBeUndefined()
  })
})
