import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

test("errors.md's list has every check of af doctor, and no other", () => {
  const folder = 'apps/validator/src/examination'
  const files = readdirSync(new URL(folder, root)).map((name) => `${folder}/${name}`)
  const sources = files.map(read).join('\n')
  const found = sources.matchAll(/\b(?:ok|warn|fail)\(\s*'([^']+)'/g)
  const [, list = ''] = /^## What `af doctor` says\n(.*?)^## /ms.exec(read('docs/errors.md')) ?? []
  const names = list.split('\n').map((line) => /^- (.*?): /.exec(line)?.[1] ?? '')
  const listed = names.flatMap((some) => [...some.matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  expect(new Set(listed)).toEqual(new Set([...found].map(([, name]) => name)))
})
