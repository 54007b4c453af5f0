import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, open, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeFolder, syncFolders } from '@affine/node/disk'
import { areSameBytes, type Bucket, BucketFailure, checkPath } from './bucket.ts'

/** An open file, which the caller closes, and its stats when it was opened. */
export interface OpenFile {
  readonly handle: FileHandle
  readonly stats: Stats
}

/**
 * Returns a bucket in a directory, which the first write creates. A file appears under its name
 * only when it is complete and synced. A crash leaves the file or no file, and perhaps a `.tmp`
 * that no path can name. Needs a file system with hard links, because link(2) refuses to overwrite.
 * `directory` may be a link; links below it are not followed. Files and folders get `mode`; readers
 * of the files may also enter the folders. Protocol §6.4.
 */
export function directoryBucket(directory: string, mode = 0o666): Bucket {
  const root = resolve(directory)
  const folderMode = mode | ((mode & 0o444) >> 2)

  async function read(path: string, limit: number): Promise<Uint8Array | null> {
    const place = join(root, checkPath(path))
    const action = `read ${place}`
    try {
      const file = await openFile(root, path)
      if (file === 'missing') return null
      if (file === 'not-a-file')
        throw new BucketFailure(action, { code: file, reason: 'not a file' })
      const bytes = await readUpTo(limit + 1, file)
      if (bytes.length <= limit) return bytes
      throw new BucketFailure(action, { code: 'too-large', reason: `larger than ${limit} bytes` })
    } catch (error) {
      throw diskFailure(action, error)
    }
  }

  async function write(path: string, bytes: Uint8Array): Promise<void> {
    const place = join(root, checkPath(path))
    const folder = dirname(place)
    const temporary = join(folder, `.${randomUUID()}.tmp`)
    try {
      const firstMade = await makeFolder(folder, folderMode)
      if (await isLinked(root, path))
        throw new BucketFailure(`write ${place}`, {
          code: 'not-a-file',
          reason: `a folder of this path is a link: ${folder}`,
        })
      if (!(await hasFile(root, path, bytes))) {
        await writeFile(temporary, bytes, { flag: 'wx', flush: true, mode })
        await link(temporary, place).catch(async (error: NodeJS.ErrnoException) => {
          // Another writer may have linked the file first. With identical bytes, that is no error.
          if (error.code !== 'EEXIST' || !(await hasFile(root, path, bytes))) throw error
        })
      }
      // An existing file's folders too: the process that linked it may have crashed before syncing.
      await syncFolders(folder, findTop(root, firstMade))
    } catch (error) {
      throw diskFailure(`write ${place}`, error)
    } finally {
      // An error of the write explains more than an error of this removal.
      await rm(temporary, { force: true }).catch(() => undefined)
    }
  }
  return { read, write }
}

function diskFailure(action: string, error: unknown): BucketFailure {
  if (error instanceof BucketFailure) return error
  return new BucketFailure(action, { code: 'disk', reason: (error as Error).message }, error)
}

/** Flags that follow no link and do not wait for a FIFO's writer. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
/** System codes for a path of something other than a file. */
const NOT_A_FILE_CODES = ['ELOOP', 'ENOTDIR', 'ENXIO', 'ENAMETOOLONG']

/**
 * Opens the file at a path of the bucket in `directory`. Anything but a regular file, and anything
 * behind a link, is `not-a-file`.
 * @throws RangeError if `path` is not a path of a bucket; the system's error if opening fails.
 */
export async function openFile(
  directory: string,
  path: string,
): Promise<OpenFile | 'missing' | 'not-a-file'> {
  const place = join(directory, checkPath(path))
  try {
    if (await isLinked(directory, path)) return 'not-a-file'
    const handle = await open(place, OPEN_FLAGS)
    const stats = await handle.stat().catch(async (error) => {
      await handle.close()
      throw error
    })
    if (stats.isFile()) return { handle, stats }
    await handle.close()
    return 'not-a-file'
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return 'missing'
    if (NOT_A_FILE_CODES.includes(code)) return 'not-a-file'
    throw error
  }
}

/** Reports whether a folder between the directory and the path is a link. */
async function isLinked(directory: string, path: string): Promise<boolean> {
  const folder = join(directory, dirname(path))
  const real = await realpath(folder)
  // If the paths are equal, no folder is a link, and the directory needs no second `realpath`.
  return real !== folder && real !== join(await realpath(directory), dirname(path))
}

/** Reads the first `max` bytes of a file, or all if there are fewer, and closes it. */
async function readUpTo(max: number, { handle, stats }: OpenFile): Promise<Uint8Array> {
  await using file = handle
  // Some files of the system have bytes, although their size is 0.
  const bytes = new Uint8Array(Math.min(max, stats.size || max))
  let length = 0
  for (;;) {
    const { bytesRead } = await file.read(bytes, length)
    if (bytesRead === 0) return bytes.subarray(0, length)
    length += bytesRead
  }
}

/**
 * Reports whether the file exists with these bytes.
 * @throws BucketFailure if something else is there: nothing is overwritten.
 */
async function hasFile(root: string, path: string, bytes: Uint8Array): Promise<boolean> {
  const file = await openFile(root, path)
  if (file === 'missing') return false
  if (file !== 'not-a-file' && areSameBytes(await readUpTo(bytes.length + 1, file), bytes))
    return true
  const reason = 'the file exists with other content; move it elsewhere if it was modified'
  throw new BucketFailure(`write ${join(root, path)}`, { code: 'conflict', reason })
}

/**
 * Returns the highest folder to sync after `firstMade`, the highest new folder, was created: the
 * root, or the parent of `firstMade` if `firstMade` is not below the root.
 */
function findTop(root: string, firstMade: string | undefined): string {
  if (firstMade !== undefined && firstMade.length <= root.length) return dirname(firstMade)
  return root
}
