import { readFile } from 'node:fs/promises'
import { account } from '@affine/chain'
import { createMetrics } from '@affine/engine/metrics'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AF, killAll, run } from '../../../test/processes.ts'
import { readSettings } from '../src/settings/settings.ts'
import { SETTINGS } from '../src/settings/table.ts'

const read = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
let [alerts, operating, unit, image, example] = ['', '', '', '', '']
let metrics: readonly (string | undefined)[]

beforeAll(async () => {
  const files = ['prometheus-alerts.yml', '../docs/errors.md', 'af-validate.service', 'Dockerfile']
  ;[alerts, operating, unit, image, example] = (await Promise.all(
    [...files, 'env.example'].map((name) => read(`deploy/${name}`)),
  )) as [string, string, string, string, string]
  const others = ['operating', 'settings', 'buckets', 'upgrades']
  operating += (await Promise.all(others.map((name) => read(`docs/${name}.md`)))).join('')
  const { hotkey } = account(new Uint8Array(32).fill(1))
  const { read: page } = createMetrics(
    { hotkey, lastUpdate: 0, emit: true },
    { time: async () => 0 },
    () => 0,
  )
  const text = await (await page()).text()
  metrics = [...text.matchAll(/^# HELP (\w+)/gm)].map(([, name]) => name)
})
afterAll(killAll)

it('the alerts name only existing metrics', () => {
  const queried = [...alerts.matchAll(/\b(?:affine|process|nodejs)_\w+/g)].map(([name]) => name)
  expect(queried).not.toEqual([])
  expect(queried.filter((name) => !metrics.includes(name))).toEqual([])
})

describe('the documents for operators', () => {
  const names = SETTINGS.flatMap(({ variables = [] }) => variables)

  it('list every option and variable, and no variable that does not exist', async () => {
    for (const name of names) expect(operating, name).toContain(`\`${name}\``)
    const variables = new Set(
      operating.match(/\b(?:AFFINE|BT|S3|R2|SUBTENSOR|CHUTES)_[A-Z0-9_]+\b/g),
    )
    for (const name of variables) expect(names).toContain(name)
    const help = (await run(AF, ['validate', '--help'])).stdout
    for (const option of help.match(/^ {2}--[a-z0-9-]+/gm) ?? [])
      expect(operating).toContain(`\`${option.trim()}\``)
  })

  it('list every alert, and every error code of the chain clients', () => {
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

  it('give complete settings in env.example, once the secrets are filled in', () => {
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
