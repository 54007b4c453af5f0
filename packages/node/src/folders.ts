import { mkdir, open, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** Mode of files that only their owner can read and write. */
export const OWNERS = 0o600

/** Syncs a folder and its parents up to `top`, so that new files survive a power cut. */
export async function syncFolders(folder: string, top: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
  const path = resolve(folder)
  if (path !== resolve(top)) await syncFolders(dirname(path), top)
}

/**
 * Creates a folder and its missing parents. Resolves with the topmost created folder; undefined if
 * the folder exists. `mode` applies only to the folder. Node's option `recursive` is not used: it
 * never ends in a folder like `/proc`, which accepts no folders.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  if (await isFolder(path)) return undefined
  const topmost = await makeFolder(dirname(path))
  await mkdir(path, { mode }).catch(async (error: Error) => {
    // Another task may have created the folder.
    if (!(await isFolder(path))) throw error
  })
  return topmost ?? path
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined)
  return stats?.isDirectory() ?? false
}
