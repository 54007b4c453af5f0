import { mkdir, open, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** The mode of files that only their owner can read and write. */
export const OWNERS = 0o600

/** Syncs a folder and its parents up to `top`, so that new files in them survive a power cut. */
export async function syncFolders(folder: string, top: string): Promise<void> {
  const last = resolve(top)
  let current = resolve(folder)
  await syncFolder(current)
  while (current !== last) {
    current = dirname(current)
    await syncFolder(current)
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

/**
 * Creates a folder and its missing parents. Resolves with the topmost folder that it created. The
 * option `recursive` of Node never ends in a folder like `/proc`, which exists and accepts no
 * folders. `mode` applies to the folder, not to its parents.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    return await makeOneFolder(path, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const topmost = await makeFolder(dirname(path))
  const own = await makeOneFolder(path, mode)
  return topmost ?? own
}

/** Creates one folder. Resolves with undefined if it exists. */
async function makeOneFolder(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode })
    return path
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    if (isThere && (await stat(path)).isDirectory()) return undefined
    throw error
  }
}
