import { mkdir, open, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** The mode of files that only their owner may read. */
export const OWNERS = 0o600

/** Syncs a folder and those above it, up to `top`: what was made in them outlasts a power cut. */
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
 * Makes a folder, and those above it, where they are not there; resolves with the topmost that was
 * made. Node's own `recursive` never ends where a folder is there and takes none, as `/proc` does.
 * `mode` is that of the folder itself.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    return await makeOne(path, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const topmost = await makeFolder(dirname(path))
  const own = await makeOne(path, mode)
  return topmost ?? own
}

/** Makes one folder; undefined when it is there. */
async function makeOne(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode })
    return path
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    if (isThere && (await stat(path)).isDirectory()) return undefined
    throw error
  }
}
