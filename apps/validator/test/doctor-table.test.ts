import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

test("operating.md's table has every check of af doctor, and no other", () => {
  const folder = 'packages/engine/src/node/examination'
  const files = readdirSync(new URL(folder, root)).map((name) => `${folder}/${name}`)
  const sources = [...files, 'apps/validator/src/service/examination.ts'].map(read).join('\n')
  const found = sources.matchAll(/\b(?:ok|warn|fail)\(\s*'([^']+)'/g)
  const [, table = ''] = /^\| `af doctor` says.*\n\|[- |]+\n((?:\|.*\n)+)/m.exec(
    read('docs/operating.md'),
  ) ?? ['', '']
  const rows = table.split('\n').map((line) => line.split('|')[1] ?? '')
  const listed = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  expect(new Set(listed)).toEqual(new Set([...found].map(([, name]) => name)))
})
