import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sample } from '@affine/blocks'
import { LocalChain } from '@affine/chain'
import { type Cell, sampleRow } from '@affine/report'
import { LOCAL_NETWORK, recompute, type SamplePlace } from '@affine/settlement'
import { openBucket } from '@affine/settlement/node'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeServers, serve } from '../../../packages/miners/test/servers.ts'
import { AF, killAll, run, start } from '../../../test/processes.ts'
import { castOf } from '../src/commands/demo/cast.ts'
import { runSubnet } from '../src/commands/demo/subnet.ts'
import { lineOf, TableFile } from '../src/commands/export/table-file.ts'
import { exportCommand } from '../src/commands/export.ts'
import { inProcess } from './commands.ts'

const FAULTS = new URL('./faults.mjs', import.meta.url).href
const TABLES = ['environments', 'epochs', 'lanes', 'samples', 'trust']
let root: string
let chainFile: string
let buckets: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'export-'))
  const { validators, miners, seed } = castOf('a history')
  const cast = { seed, validators: validators.slice(0, 3), miners: miners.slice(0, 2) }
  await runSubnet(cast, join(root, 'subnet'), () => {})
  chainFile = join(root, 'subnet', 'chain.json')
  buckets = join(root, 'subnet', 'buckets')
})
afterAll(async () => {
  closeServers()
  await killAll()
  await rm(root, { recursive: true })
})

const where = (): readonly string[] => ['--network', chainFile, '--buckets', buckets]

/** The cells of a line, by the grammar of RFC 4180 and nothing else. */
function cellsOf(line: string): readonly string[] {
  const cells: string[] = []
  let rest = `,${line.replace(/\r\n$/, '')}`
  while (rest !== '') {
    const match = /^,(?:"((?:[^"]|"")*)"|([^",\r\n]*))/.exec(rest)
    if (match === null) throw new Error(`no cell at ${JSON.stringify(rest)}`)
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    rest = rest.slice(match[0].length)
  }
  return cells
}

describe('a line of a table', () => {
  it('is read back as it was, whatever is in it', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', ',', '\r\n', '""', '\n'),
    )
    const cell = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(undefined))
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1 }), (cells: Cell[]) => {
        const line = lineOf(cells)
        expect(line.endsWith('\r\n')).toBe(true)
        expect(cellsOf(line)).toEqual(cells.map((each) => String(each ?? '')))
      }),
    )
  })
})

describe('a sample', () => {
  const shown = (content: string) => {
    const messages = [{ role: 'assistant', content } as const]
    const side = { miner: 'm', messages, reward: -1, ms: 1 }
    const which = { env: 'mult8@0.1.0', duel: 'd', index: 0, challengeId: 'c' }
    const sample = { ...which, champion: side, contender: side, verdict: 'tie' } as const
    return lineOf(sampleRow({ epoch: 0, validator: 'v', block: 'b', sample }).cells)
  }

  it('holds no formula, whatever a spreadsheet splits it at, and its replies as they were', () => {
    const unit = fc.constantFrom(...'=+-@;,\t |:\r\n"\'\\x1', '\u{ff1d}')
    fc.assert(
      fc.property(fc.string({ unit }), (content) => {
        const line = shown(content)
        expect(JSON.parse(cellsOf(line).at(-1) ?? '')).toEqual([content])
        for (const separator of [',', ';', '\t', ' ', '|', ':'])
          for (const cell of line.trimEnd().split(separator))
            expect(cell).not.toMatch(/^["'\s]*([=+@]|-(?!\d+$))/)
      }),
    )
  })
})

describe('a table in a file', () => {
  it('has its name once it is whole, and is gone when it is not', async () => {
    const folder = join(root, 'tables')
    await mkdir(folder)
    const columns = ['n', 'text']
    using whole = new TableFile(join(folder, 'whole.csv'), columns)
    const half = new TableFile(join(folder, 'half.csv'), columns)
    for (let n = 0; n < 1000; n++) {
      whole.add([n, 'x'.repeat(n)])
      half.add([n, 'x'.repeat(n)])
    }
    // Long before the end most of it is on disk: little gathers in memory.
    const written = (await readFile(join(folder, 'whole.csv.part'), 'utf8')).length
    expect(written).toBeGreaterThan(400_000)
    whole.end()
    half.end()
    whole.name()
    half[Symbol.dispose]()
    half.add([1])
    expect(await readdir(folder)).toEqual(['whole.csv'])
    const lines = (await readFile(join(folder, 'whole.csv'), 'utf8')).split('\r\n')
    expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([1002, 'n,text', '0,', ''])
  })
})

describe('af export', () => {
  it('has every epoch, lane and sample that is recomputed', async () => {
    const folder = join(root, 'history')
    const { records, error } = await inProcess(exportCommand, '--csv', folder, ...where(), '--json')
    expect(error).toBeUndefined()
    const [done] = records
    expect(await readdir(folder)).toEqual(TABLES.map((name) => `${name}.csv`))
    const linesIn = async (name: string): Promise<readonly string[]> =>
      (await readFile(join(folder, `${name}.csv`), 'utf8')).trimEnd().split('\r\n').slice(1)
    const want: Record<string, string[]> = Object.fromEntries(TABLES.map((name) => [name, []]))
    const data = {
      chain: LocalChain.import(await readFile(chainFile, 'utf8')),
      network: LOCAL_NETWORK,
      openBucket: (hotkey: string, url: string) => openBucket(hotkey, url, { base: buckets }),
      compare: false,
    }
    const seen: string[] = []
    const onSample = ({ env, index, champion, contender, verdict }: Sample, place: SamplePlace) =>
      seen.push([place.validator, env, index, verdict, champion.reward, contender.reward].join(' '))
    for await (const settled of recompute({ ...data, onSample })) {
      const { epoch, report, state, lanes } = settled
      want.epochs?.push(`${epoch} ${state.ratio} ${report.outcome ?? ''}`)
      for (const env of Object.keys(report.envs)) want.environments?.push(`${epoch} ${env}`)
      for (const [validator, lane] of Object.entries(report.lanes)) {
        const read = lanes.get(validator)
        for (const env of Object.keys(report.envs)) {
          const { wins = '', losses = '' } = (read?.ok && read.value.tallies[env]) || {}
          want.lanes?.push(`${epoch} ${validator} ${env} ${lane.accepted} ${wins} ${losses}`)
        }
      }
      want.samples?.push(...seen.splice(0).map((each) => `${epoch} ${each}`))
      for (const validator of Object.keys(state.trust)) want.trust?.push(`${epoch} ${validator}`)
    }
    const got = async (name: string, ...columns: readonly number[]) =>
      (await linesIn(name)).map((line) => {
        const cells = cellsOf(line)
        return columns.map((i) => cells[i]).join(' ')
      })
    expect(await got('epochs', 0, 10, 7)).toEqual(want.epochs)
    expect(await got('environments', 0, 1)).toEqual(want.environments)
    expect(await got('lanes', 0, 1, 2, 7, 11, 12)).toEqual(want.lanes)
    // All validators have the same stake.
    expect(new Set(await got('lanes', 3))).toEqual(new Set(['1000000']))
    expect(await got('samples', 0, 1, 2, 3, 6, 8, 13)).toEqual(want.samples)
    expect(await got('trust', 0, 1)).toEqual(want.trust)
    expect(want.samples?.length).toBeGreaterThan(500)
    const counts = Object.entries(want).map(([name, { length }]) => [name, length])
    expect(done).toEqual({ type: 'exported', folder, rows: Object.fromEntries(counts) })
  })

  it('has no cell that a spreadsheet takes for a formula, and the columns of docs/research.md', async () => {
    const page = await readFile(new URL('../../../docs/research.md', import.meta.url), 'utf8')
    for (const name of TABLES) {
      const table = await readFile(join(root, 'history', `${name}.csv`), 'utf8')
      const [heading = '', ...lines] = table.trimEnd().split('\r\n')
      const [, section = ''] = page.split(`### ${name}.csv\n`)
      const documented = section.split('\n#')[0]?.match(/^\| `[^|]+(?= \|)/gm) ?? []
      const columns = documented.flatMap((row) => row.match(/\w+(?=`)/g) ?? [])
      expect(columns).toEqual(heading.split(','))
      for (const cell of lines.flatMap(cellsOf)) expect(cell).not.toMatch(/^[=+@\t\r]|^-(?!\d+$)/)
    }
  })

  it('ends at once on a disk that is full, and leaves nothing', async () => {
    const folder = join(root, 'no-room')
    const fault = { fault: 'ENOSPC', path: 'samples.csv', op: 'writeFileSync' }
    const env = { FAULTS: JSON.stringify(fault), NODE_OPTIONS: `--import ${FAULTS}` }
    const ended = await run(AF, ['export', '--csv', folder, ...where()], { env })
    expect(ended.stderr).toMatch(`af: cannot write ${join(folder, 'samples.csv')}: ENOSPC`)
    expect(ended.stdout).toContain('it is not finished')
    expect(ended.code).toBe(1)
    expect(await readdir(folder)).toEqual([])
  })

  it('writes into no folder that holds something, and leaves nothing half', async () => {
    const full = join(root, 'full')
    await mkdir(full)
    await writeFile(join(full, 'mine'), 'precious')
    const refused = await run(AF, ['export', '--csv', full, ...where()])
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toBe(`af: "--csv" expected an empty folder, got ${full}\n`)
    expect(await readdir(full)).toEqual(['mine'])
    const lacking = await run(AF, ['export', ...where()])
    expect(lacking.code).toBe(2)
    const folder = join(root, 'unfinished')
    const words = ['--csv', folder, '--network', chainFile, '--buckets', root]
    const failed = await run(AF, ['export', ...words])
    expect([failed.code, await readdir(folder)]).toEqual([2, []])
    expect(failed.stdout).toBe(`it is not finished: ${folder} is left empty\n`)
    expect(failed.stderr).toContain('af: "buckets" expected the folder or URL where buckets are')
  })

  it('ends with 130 at Ctrl-C, and leaves the folder empty', async () => {
    const folder = join(root, 'broken-off')
    let ask = (): void => {}
    const asked = new Promise<void>((resolve) => {
      ask = resolve
    })
    const { url } = await serve(async (_, { url = '' }, response) => {
      if (url.includes('/blocks/')) return ask()
      response.end(await readFile(join(buckets, url)))
    })
    const words = ['--network', chainFile, '--buckets', url.replace(/\/v1$/, '')]
    const started = start(AF, ['export', '--csv', folder, ...words])
    await asked
    expect(await readdir(folder)).toEqual(TABLES.map((name) => `${name}.csv.part`))
    const { code, stdout, stderr } = await started.stop()
    expect([code, stderr]).toEqual([130, ''])
    expect(stdout).toBe(`it is not finished: ${folder} is left empty\n`)
    expect(await readdir(folder)).toEqual([])
  })
})
