import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as wilson from '../src/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const rule = (z: number, minTrials = 10) => ({
  cap: 5000,
  minTrials,
  zSquaredPpm: BigInt(Math.round(z * 1000)) ** 2n,
  holdOffset: 30,
  holdSlopePpm: 30_000,
})

const rows = [...readme.matchAll(/^\| `(.+?)` +\| ([\d.]+) +\|/gm)].map(
  ([, expression = '', value = '']) => ({
    expression,
    value,
  }),
)

test.each(rows)('computes the value of $expression', ({ expression, value }) => {
  const names = { ...wilson, rule }
  const got: number = new Function(...Object.keys(names), `return ${expression}`)(
    ...Object.values(names),
  )
  expect(got.toFixed(value.split('.')[1]?.length ?? 0)).toBe(value)
})

test('finds the nineteen rows of the README', () => {
  expect(rows).toHaveLength(19)
})
