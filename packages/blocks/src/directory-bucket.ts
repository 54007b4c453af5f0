import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Bucket, checkPath } from './bucket.ts'

/**
 * A bucket in a directory, which is made when first written to. A file appears under its name only
 * whole and fsynced, so a crash at any moment leaves the file, or no file (and perhaps a `.tmp`
 * that no path can name). Needs a file system with hard links: link(2) is what refuses to
 * overwrite.
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

  /** Is the file there? Not if it has other bytes: nothing is overwritten. */
  async function isThere(place: string, bytes: Uint8Array): Promise<boolean> {
    const there = await readFile(place).catch(nullIf('ENOENT'))
    if (there !== null && !there.equals(bytes))
      throw new Error(`move it away if it was altered: ${place} is there with other bytes`)
    return there !== null
  }

  async function write(path: string, bytes: Uint8Array): Promise<void> {
    const place = join(root, checkPath(path))
    const folder = dirname(place)
    const temporary = join(folder, `.${randomUUID()}.tmp`)
    try {
      const made = await mkdir(folder, { recursive: true })
      if (!(await isThere(place, bytes))) {
        await writeFile(temporary, bytes, { flag: 'wx', flush: true })
        if ((await link(temporary, place).catch(nullIf('EEXIST'))) === null)
          await isThere(place, bytes)
      }
      // Also when the file was there: who linked it may have crashed before this. Up to the root,
      // as folders may be new.
      await syncFolders(
        folder,
        made !== undefined && made.length <= root.length ? dirname(made) : root,
      )
    } catch (cause) {
      throw new Error(`cannot write ${place}: ${(cause as Error).message}`, { cause })
    } finally {
      await rm(temporary, { force: true })
    }
  }
  return { read, write }
}

/** Syncs a folder and those above it, up to `top`: what was made in them outlasts a power cut. */
export async function syncFolders(folder: string, top: string): Promise<void> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const handle = await open(at)
    await handle.sync().finally(() => handle.close())
    if (at === resolve(top)) return
  }
}

/** For `catch`: null in place of the expected error. */
const nullIf = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code === code) return null
  throw error
}
