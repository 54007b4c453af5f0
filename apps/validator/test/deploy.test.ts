import { readFile } from 'node:fs/promises'
import { createMetrics } from '@affine/engine/metrics'
import { beforeAll, describe, expect, it } from 'vitest'
import { runAf } from '../../../test/in-process.ts'
import { words } from '../../../test/words.ts'
import { readSettings } from '../src/settings/settings.ts'
import { SETTINGS } from '../src/settings/table.ts'

const read = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
let [alerts, unit, image, example, operating] = ['', '', '', '', '']
let metrics: readonly (string | undefined)[]

beforeAll(async () => {
  const files = ['prometheus-alerts.yml', 'af-validate.service', 'Dockerfile', 'env.example']
  ;[alerts = '', unit = '', image = '', example = ''] = await Promise.all(
    files.map((name) => read(`deploy/${name}`)),
  )
  const pages = ['errors', 'operating', 'settings', 'buckets', 'upgrades']
  operating = (await Promise.all(pages.map((name) => read(`docs/${name}.md`)))).join('')
  const validator = { hotkey: '5F', lastUpdate: 0, emit: true }
  const { read: page } = createMetrics(validator, { time: async () => 0 }, () => 0)
  const text = await (await page()).text()
  metrics = [...text.matchAll(/^# HELP (\w+)/gm)].map(([, name]) => name)
})

it('the alerts name only existing metrics', () => {
  const queried = [...alerts.matchAll(/\b(?:affine|process|nodejs)_\w+/g)].map(([name]) => name)
  expect(queried).not.toEqual([])
  expect(queried.filter((name) => !metrics.includes(name))).toEqual([])
})

describe('the documents for operators', () => {
  const names = SETTINGS.flatMap(({ variables = [] }) => variables)

  it('list every option of `af validate` and every variable, and no variable that does not exist', async () => {
    for (const name of names) expect(operating, name).toContain(`\`${name}\``)
    const variables = new Set(
      operating.match(/\b(?:AFFINE|BT|S3|R2|SUBTENSOR|CHUTES)_[A-Z0-9_]+\b/g),
    )
    for (const name of variables) expect(names).toContain(name)
    const help = (await runAf(['validate', '--help'])).stdout
    for (const option of help.match(/^ {2}--[a-z0-9-]+/gm) ?? [])
      expect(operating).toContain(`\`${option.trim()}\``)
  })

  it('list every alert and no other, and eight error codes of the chain clients', () => {
    for (const [, name = ''] of alerts.matchAll(/- alert: (\w+)/g))
      expect(operating).toContain(`\`${name}\``)
    for (const name of operating.match(/\bAffine[A-Z]\w+/g) ?? [])
      expect(alerts).toContain(`alert: ${name}\n`)
    const codes = `StateDiscarded Unreachable WrongGenesis NotInRuntime BadReply Refused
      UnknownBlock BadLog`
    for (const code of words(codes)) expect(operating, code).toContain(`\`${code}\``)
  })

  it('set only existing variables in env.example, the unit and the image', async () => {
    const set = [...example.matchAll(/^#?([A-Z0-9_]+)=/gm)].map(([, name]) => name)
    expect(set.length).toBeGreaterThan(10)
    for (const name of [...set, ...(`${unit}${image}`.match(/\bAFFINE_\w+/g) ?? [])])
      expect(names).toContain(name)
    const [, start = ''] = /^ExecStart=\S+ \S+af\.js (.*)$/m.exec(unit) ?? []
    const [command = '', ...options] = start.split(' ')
    const help = (await runAf([command, '--help'])).stdout
    for (const word of options.filter((word) => word.startsWith('--')))
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
    const { problems, settings } = readSettings({}, filled)
    expect(problems).toEqual([])
    expect(settings).toMatchObject({ network: 'finney', metrics: 9464 })
    expect(settings?.emit).toBeUndefined()
  })
})
