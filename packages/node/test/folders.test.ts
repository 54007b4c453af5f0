import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { syncFolders } from '../src/folders.ts'

const root = testFolder('folders')

it('syncs up to the top folder, and rejects a missing folder', async () => {
  const folder = join(root, 'synced/a/b')
  await mkdir(folder, { recursive: true })
  await syncFolders(folder, join(root, 'synced'))
  await syncFolders(folder, folder)
  await expect(syncFolders(join(folder, 'gone'), folder)).rejects.toThrow('ENOENT')
})
