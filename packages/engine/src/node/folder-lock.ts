import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { makeFolder, syncFolders } from '@affine/blocks/directory'
import { readRegularFile } from '@affine/chain/file'

/** Locks that are held: a file that nothing refers to any more would be closed. */
const held = new Set<FileHandle>()

/**
 * Takes a folder for this process, so that no two validators sign from one journal; disposing gives
 * it back. The lock is the system's, on the file `lock` in the folder: of two that come at once one
 * gets it, containers that share the folder see it, and it ends with the process, however that
 * ends. Between machines it holds where their file system locks for all of them, as NFS does.
 *
 * @throws Error naming the process that holds it.
 */
export async function holdFolder(folder: string): Promise<AsyncDisposable> {
  const place = resolve(folder)
  const path = join(place, 'lock')
  const made = await makeFolder(place, 0o700)
  if (made !== undefined) await syncFolders(place, dirname(made))
  const file = await lockFile(path)
  if (file === null) {
    const holder = await readRegularFile(path, 1000).catch(() => null)
    const who = holder?.bytes.toString() || '?'
    throw new Error(`${place} is in use by process ${who}: stop it, or name another folder`)
  }
  held.add(file)
  await sign(file)
  const release = async (): Promise<void> => {
    await rm(path, { force: true })
    held.delete(file)
    await file.close()
  }
  return { [Symbol.asyncDispose]: release }
}

/**
 * Takes a file for this process, as `holdFolder` takes a folder; it is made, for its owner alone,
 * where it is not there.
 *
 * @throws Error while another process holds it; RangeError for what is no regular file.
 */
export async function holdFile(path: string): Promise<AsyncDisposable> {
  await makeFolder(dirname(resolve(path)), 0o700)
  const file = await lockFile(path)
  if (file === null)
    throw new Error(`${path} is in use by another process: wait for its end, or name another file`)
  held.add(file)
  const release = async (): Promise<void> => {
    held.delete(file)
    await file.close()
  }
  if ((await file.stat()).isFile()) return { [Symbol.asyncDispose]: release }
  await release()
  throw new RangeError(`${path} expected to be a regular file`)
}

/** Says whose the lock is, for people: a disk that is full does not keep anyone from starting. */
async function sign(file: FileHandle): Promise<void> {
  try {
    await file.truncate()
    await file.write(`${process.pid} on ${hostname()}`)
  } catch {}
}

/** macOS has no command that locks, but locks what it opens with this flag, `O_EXLOCK`. */
const LOCKED = process.platform === 'darwin' ? 0x20 : 0
const OPEN = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | LOCKED

/** Opens a file and locks it, until it is closed; null where another process has. */
async function lockFile(path: string): Promise<FileHandle | null> {
  const file = await open(path, OPEN, 0o600).catch(nullIfLocked)
  if (file === null) return null
  const isOurs = LOCKED !== 0 || (await lock(file))
  // The last holder may have removed it meanwhile: the next process would lock another file.
  if (isOurs && (await isAt(path, file))) return file
  await file.close()
  return isOurs ? lockFile(path) : null
}

function nullIfLocked(error: NodeJS.ErrnoException): null {
  if (error.code === 'EAGAIN') return null
  throw error
}

/**
 * Locks a file that is open here: who inherits it locks it for all that have it from here. False
 * where another process has.
 */
async function lock({ fd }: FileHandle): Promise<boolean> {
  const command = spawn('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] })
  const [code] = await once(command, 'close').catch((error: Error) => {
    throw new Error(`a folder is locked by "flock", of util-linux: ${error.message}`)
  })
  if (code > 1) throw new Error(`"flock" ended with ${code}: the file system has no locks`)
  return code === 0
}

/** Is the file at this path the one that is open? */
async function isAt(path: string, file: FileHandle): Promise<boolean> {
  const there = await stat(path).catch(() => null)
  return there?.ino === (await file.stat()).ino
}
