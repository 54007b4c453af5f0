import { readFileSync } from 'node:fs'
import { walk } from '@affine/wilson'
import { expect, test } from 'vitest'
import { LOCAL, PROTOCOL, ruleOf } from '../src/index.ts'

const page = readFileSync(new URL('../../../docs/guarantees.md', import.meta.url), 'utf8')
const NUMBER = String.raw` +([\d.]+) +`
const CHANGE = String.raw` +[\d.]+ → ([\d.]+) +`
const ROW = new RegExp(
  String.raw`^\|${NUMBER}\|${NUMBER}\|${NUMBER}\|${CHANGE}\|${CHANGE}\|$`,
  'gm',
)
const rows = [...page.matchAll(ROW)].map((row) => row.slice(1))

test('what HOLD costs is what docs/guarantees.md says', () => {
  expect(rows).toHaveLength(34)
  for (const [cap, ratio, p, challenges, wins] of rows) {
    const protocol = Number(cap) === LOCAL.cap ? LOCAL : PROTOCOL
    const ratioPpm = Math.round(Number(ratio) * 1e6)
    const end = walk({ p: Number(p), ratioPpm, rule: ruleOf(protocol) })
    expect([end.expectedTrials.toFixed(0), end.win.toFixed(4)]).toEqual([challenges, wins])
  }
})
