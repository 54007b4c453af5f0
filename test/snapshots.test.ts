import { basename, dirname } from 'node:path'
import { expect, it } from 'vitest'
import { filesBelow, folders, read } from './repository.ts'

it('has a test for each snapshot', () => {
  const files = [...folders.map((folder) => `${folder}/test`), 'test'].flatMap(filesBelow)
  const snapshots = files.filter((file) => basename(dirname(file)) === 'snapshots')
  expect(snapshots).not.toEqual([])
  const tests = files.filter((file) => file.endsWith('.ts')).map(read)
  const isUsed = (snapshot: string): boolean =>
    tests.some((text) => text.includes(`'snapshots/${basename(snapshot)}'`))
  expect(snapshots.filter((snapshot) => !isUsed(snapshot))).toEqual([])
})
