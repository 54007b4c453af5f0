import { readFileSync } from 'node:fs'
import { walk } from '@affine/wilson'
import { expect, test } from 'vitest'
import { EXACT_RATIOS, exactWins } from '../bench/false-wins.ts'
import { PROMISED, TIED_MOST } from '../bench/promises.ts'
import { yearOfOne } from '../bench/years.ts'
import { LOCAL, PROTOCOL } from '../src/index.ts'

const page = readFileSync(new URL('../../../docs/guarantees.md', import.meta.url), 'utf8')

/** Returns the rows of the table whose first columns are `columns`, each as trimmed cells. */
function rowsBelow(columns: string): readonly (readonly string[])[] {
  const lines = page.split('\n')
  const cellsOf = (line = '') => line.split('|').map((cell) => cell.trim())
  const head = lines.findIndex((line) => cellsOf(line).join('|').startsWith(`|${columns}|`))
  const rows = lines.slice(head + 2)
  return rows.slice(0, rows.indexOf('')).map((line) => cellsOf(line).slice(1, -1))
}

test('the cost of HOLD is that in docs/guarantees.md', () => {
  const rows = rowsBelow('cap|R|p')
  expect(rows).toHaveLength(34)
  // Every third row; the bench computes all.
  for (const [cap, ratio, p, challenges, wins] of rows.filter((_, i) => i % 3 === 0)) {
    const protocol = Number(cap) === LOCAL.cap ? LOCAL : PROTOCOL
    const ratioPpm = Math.round(Number(ratio) * 1e6)
    const end = walk({ p: Number(p), ratioPpm, rule: protocol })
    expect([end.expectedTrials.toFixed(0), end.win.toFixed(4)]).toEqual([challenges, wins])
  }
})

test('while liars freeze epochs, a contender at the ratio wins exactly as often as in docs/guarantees.md', () => {
  const [promises, rows] = [rowsBelow('promise'), rowsBelow('R|with others')]
  expect(rows.map(([ratio]) => ratio)).toEqual(Object.keys(EXACT_RATIOS))
  const [most = [], ...ones] = [...rows].reverse()
  for (const [name = '', ...wins] of ones) expect(exactWins(EXACT_RATIOS[name] ?? [])).toEqual(wins)
  // Every tenth ratio; the bench computes all.
  const some = (EXACT_RATIOS[most[0] ?? ''] ?? []).filter((_, i) => i % 10 === 3)
  expect(some).toHaveLength(3)
  for (const [i, wins] of exactWins(some).entries())
    expect(Number(wins)).toBeLessThanOrEqual(Number(most[i + 1]))

  const worst = [most.slice(1, 3), most.slice(3)].map((wins) => `${[...wins].sort().at(-1)}, exact`)
  expect(promises.slice(0, 2).map(([, , wins]) => wins)).toEqual(worst)
  expect(Number(most[2])).toBeLessThan(PROMISED.falseWins)
  expect(Number(most[4])).toBeLessThan(PROMISED.falseWinsAlone)
})

test('no number of docs/guarantees.md is worse than its promise, unless a condition of the promise is not met', () => {
  const most = [PROMISED.falseWins, PROMISED.falseWinsAlone].map((share) => `at most ${share}`)
  const expected = [...most, `at least ${PROMISED.rightWins}`]
  for (const promise of expected) expect(rowsBelow('promise').join('\n')).toContain(promise)
  expect(page).not.toContain('ABOVE')

  const games = rowsBelow('lanes|game, liars').map((row) =>
    row.map((cell) => cell.includes('below')),
  )
  expect(games.map(([, liars]) => liars)).toEqual([true, true, true, false, false, false])
  expect(games.flatMap(([, , honest]) => honest)).not.toContain(true)

  const rows = rowsBelow('lanes|tied|p = 0.6, liars')
  expect(rows).toHaveLength(32)
  for (const { lanes, liars, honest } of TIED_MOST) {
    const belowOf = (column: number) =>
      rows.filter((row) => Number(row[0]) === lanes && row[column]?.endsWith('below'))
    const beyond = [belowOf(2), belowOf(3)].map((below) => Number(below[0]?.[1] ?? 1))
    expect(beyond[0]).toBeGreaterThan(liars)
    expect(beyond[1]).toBeGreaterThan(honest)
  }
  const unequal = rowsBelow('lanes, stake|tied')
  expect(unequal).toHaveLength(40)
  for (const [stake = '', tied, liars, honest] of unequal) {
    const hasHalf = /:1/.test(stake) // one validator has half of the stake or more
    const most = hasHalf ? 0.3 : 0.5
    if (Number(tied) <= most) expect(liars, stake).not.toContain('below')
    if (Number(tied) <= 0.65) expect(honest, stake).not.toContain('below')
  }
})

test('one lane falsely dethrones as often as in docs/guarantees.md', () => {
  const rows = rowsBelow('environments|one lane, exactly')
  expect(rows).toHaveLength(4)
  for (const [envs, years] of rows) expect(yearOfOne(Number(envs)).toFixed(2)).toBe(years)
})
