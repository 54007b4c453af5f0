import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Bucket, checkPath } from './bucket.ts'

/**
 * A bucket in a directory, which is made when first written to. A file appears under its name only
 * whole and fsynced, so a crash at any moment leaves the file, or no file (and perhaps a `.tmp`
 * that no path can name). Needs a file system with hard links: link(2) is what refuses to
 * overwrite. Protocol §6.4.
 */
export function directoryBucket(directory: string): Bucket {
  const root = resolve(directory)

  async function read(path: string, limit: number): Promise<Uint8Array | null> {
    const place = join(root, checkPath(path))
    const found = await stat(place).catch(nullIf('ENOENT'))
    if (found === null) return null
    if (!found.isFile()) throw new Error(`cannot read ${place}: not a file`)
    if (found.size > limit) throw new Error(`cannot read ${place}: larger than ${limit} bytes`)
    return new Uint8Array(await readFile(place))
  }

  async function write(path: string, bytes: Uint8Array): Promise<void> {
    const place = join(root, checkPath(path))
    const folder = dirname(place)
    const temporary = join(folder, `.${randomUUID()}.tmp`)
    try {
      const firstMade = await mkdir(folder, { recursive: true })
      if (!(await isThere(place, bytes))) {
        await writeFile(temporary, bytes, { flag: 'wx', flush: true })
        await putInPlace(place, temporary, bytes)
      }
      // Also when the file was there: who linked it may have crashed before this.
      await syncFolders(folder, topOf(root, firstMade))
    } catch (cause) {
      throw new Error(`cannot write ${place}: ${(cause as Error).message}`, { cause })
    } finally {
      await rm(temporary, { force: true })
    }
  }
  return { read, write }
}

/**
 * Is the file there, with these bytes?
 * @throws Error if it is there with others: nothing is overwritten.
 */
async function isThere(place: string, bytes: Uint8Array): Promise<boolean> {
  const there = await readFile(place).catch(nullIf('ENOENT'))
  if (there === null) return false
  if (!there.equals(bytes))
    throw new Error(`move it away if it was altered: ${place} is there with other bytes`)
  return true
}

/** Gives the file `temporary` its name, unless another writer was faster: with the same bytes. */
async function putInPlace(place: string, temporary: string, bytes: Uint8Array): Promise<void> {
  const linked = await link(temporary, place).catch(nullIf('EEXIST'))
  if (linked === null) await isThere(place, bytes)
}

/**
 * Up to where folders must be synced after `firstMade` and those below it were made: to the root,
 * or above it if that is new too.
 */
function topOf(root: string, firstMade: string | undefined): string {
  if (firstMade !== undefined && firstMade.length <= root.length) return dirname(firstMade)
  return root
}

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

/** For `catch`: null in place of the expected error. */
const nullIf = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code === code) return null
  throw error
}
