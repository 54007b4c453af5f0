import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))

it('has a test for each snapshot', () => {
  const folders = ['packages', 'apps'].flatMap((root) =>
    readdirSync(root).map((name) => join(root, name, 'test')),
  )
  const files = folders.flatMap(filesBelow)
  const snapshots = files.filter((file) => basename(dirname(file)) === 'snapshots')
  expect(snapshots).not.toEqual([])
  const tests = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(file, 'utf8'))
  const isUsed = (snapshot: string): boolean =>
    tests.some((text) => text.includes(`'snapshots/${basename(snapshot)}'`))
  expect(snapshots.filter((snapshot) => !isUsed(snapshot))).toEqual([])
})
