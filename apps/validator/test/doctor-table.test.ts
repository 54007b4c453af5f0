import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FINDINGS } from '../src/examination/findings.ts'

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

test('errors.md lists exactly the checks of af doctor', () => {
  const [, list = ''] =
    /^## What `af doctor` checks\n(.*?)^## /ms.exec(read('docs/errors.md')) ?? []
  const names = list.split('\n').map((line) => /^- (.*?): /.exec(line)?.[1] ?? '')
  const listed = names.flatMap((some) => [...some.matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  expect(new Set(listed)).toEqual(new Set(Object.values(FINDINGS).map(([check]) => check)))
})
