import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { FAULT_CODES } from '../../packages/blocks/src/index.ts'
import { type Exported, exportHistories, indexOf, nameOf } from './histories.ts'

const folder = new URL('../../vectors/conformance/', import.meta.url)
const OTHER_FLAWS = [
  'COPY_MISSING',
  'NEVER_SEALED',
  'SIGNED_TWICE',
  'STATE_DIFFERS',
  'STATE_MISSING',
  'WRONG_ROOT_ATTESTED',
]

test('the histories of vectors/conformance are those of the code, with each kind of flaw', async () => {
  const histories: Exported[] = []
  for await (const history of exportHistories()) {
    const bytes = readFileSync(new URL(nameOf(history.what), folder))
    expect(JSON.parse(gunzipSync(bytes).toString()), history.what).toEqual(history.files)
    histories.push(history)
  }
  expect(readFileSync(new URL('histories.json', folder), 'utf8')).toBe(indexOf(histories))
  const names = ['histories.json', ...histories.map(({ what }) => nameOf(what))]
  expect(readdirSync(folder).sort()).toEqual(names.sort())
  const codes = new Set(histories.flatMap(({ want }) => want.flaws.map(([, , code]) => code)))
  // A proof is a separate file, which is not part of a history.
  const ofLanes = FAULT_CODES.filter((code) => code !== 'BAD_PROOF')
  expect([...codes].sort()).toEqual([...ofLanes, ...OTHER_FLAWS].sort())
})
