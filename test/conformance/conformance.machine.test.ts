import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { FAULT_CODES } from '../../packages/blocks/src/index.ts'
import { runVerifier } from '../in-process.ts'
import { FLAW_CODES } from '../protocol-page.ts'
import { testFolder } from '../test-folder.ts'
import { type Exported, exportHistories, indexOf, nameOf } from './histories.ts'

const folder = new URL('../../vectors/conformance/', import.meta.url)
const root = testFolder('conformance')

/** Runs af-verify on a history. Resolves with its exit code, the roots and the flaws. */
async function verify({ what, files }: Exported) {
  const buckets = join(root, what, 'buckets')
  mkdirSync(buckets, { recursive: true })
  for (const [text, ...paths] of files)
    for (const path of paths.map((path) => join(root, what, path))) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
  const chain = join(root, what, 'chain.jsonl')
  const { code: exit, stdout } = await runVerifier([buckets, '--network', chain, '--json'])
  const records = stdout.match(/.+/g)?.map((line) => JSON.parse(line)) ?? []
  const recordsOf = (kind: string) => records.filter(({ type }) => type === kind)
  const roots = recordsOf('epoch').map((record) => record.root)
  const flaws = recordsOf('flaw').map(({ validator, epoch, code }) => [validator, epoch, code])
  return { exit, roots, flaws: new Set(flaws.map(String)) }
}

test('vectors/conformance has the code’s histories, af-verify’s results and every flaw', async () => {
  const histories: Exported[] = []
  for await (const history of exportHistories()) {
    const bytes = readFileSync(new URL(nameOf(history.what), folder))
    expect(JSON.parse(gunzipSync(bytes).toString()), history.what).toEqual(history.files)
    const { want } = history
    const flaws = new Set(want.flaws.map((flaw) => String(flaw.slice(0, 3))))
    expect(await verify(history), history.what).toEqual({ ...want, flaws })
    histories.push(history)
  }
  expect(readFileSync(new URL('histories.json', folder), 'utf8')).toBe(indexOf(histories))
  const names = ['histories.json', ...histories.map(({ what }) => nameOf(what))]
  expect(readdirSync(folder).sort()).toEqual(names.sort())
  const codes = new Set(histories.flatMap(({ want }) => want.flaws.map(([, , code]) => code)))
  // A proof is a separate file, which is not part of a history.
  const ofLanes = FAULT_CODES.filter((code) => code !== 'BAD_PROOF')
  expect([...codes].sort()).toEqual([...ofLanes, ...FLAW_CODES].sort())
})
