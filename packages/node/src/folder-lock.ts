import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { type FileHandle, open, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { makeFolder, OWNERS, syncFolders } from './folders.ts'
import { readRegularFile } from './regular-file.ts'

/** Files of all locks. Node closes files without a reference. */
const openLocks = new Set<FileHandle>()

/**
 * Locks a folder for this process until the result is disposed of, so that two validators never
 * sign from one journal. The lock is the operating system's, on the file `lock` in the folder: only
 * one process gets it, containers that share the folder see it, and it ends with the process, even
 * after a crash. It works between machines if their file system supports it, as NFS does. Creates a
 * missing folder with a `.gitignore`, without which `git add -A` would stage the folder's secrets.
 *
 * @throws Error, as a rejection, that names the process with the lock, or if locks do not work.
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const place = resolve(folder)
  const path = join(place, 'lock')
  const made = await makeFolder(place, 0o700)
  if (made !== undefined) {
    await writeFile(join(place, '.gitignore'), '*\n', { mode: OWNERS })
    await syncFolders(place, dirname(made))
  }
  const file = await tryLock(path)
  if (file === null) {
    const holder = await readRegularFile(path, 1000).catch(() => null)
    const who = holder?.bytes.toString() || '?'
    throw new Error(`${place} is in use by process ${who}: stop it, or name another folder`)
  }
  await writeHolder(file)
  return keepOpen(file, () => rm(path, { force: true }))
}

/**
 * Locks a file for this process, as `lockFolder` does. Creates a missing file, which only its owner
 * can read, but no folder.
 *
 * @throws Error, as a rejection, while another process has the lock, or if locks do not work;
 *   RangeError for a pipe or a device.
 */
export async function lockFile(path: string): Promise<AsyncDisposable> {
  const file = await tryLock(path)
  if (file === null)
    throw new Error(
      `${path} is in use by another process: wait until it ends, or name another file`,
    )
  if ((await file.stat()).isFile()) return keepOpen(file)
  await file.close()
  throw new RangeError(`${path} expected to be a regular file`)
}

/** Keeps a locked file open until the result is disposed of. Calls `end` before closing it. */
function keepOpen(file: FileHandle, end?: () => Promise<void>): AsyncDisposable {
  openLocks.add(file)
  const release = async (): Promise<void> => {
    await end?.()
    openLocks.delete(file)
    await file.close()
  }
  return { [Symbol.asyncDispose]: release }
}

/** Writes process id and host to the lock, for errors. Ignores failures, as on a full disk. */
async function writeHolder(file: FileHandle): Promise<void> {
  try {
    await file.truncate()
    await file.write(`${process.pid} on ${hostname()}`)
  } catch {}
}

/** `O_EXLOCK`: `open` locks the file on macOS, which has no command `flock`. 0 elsewhere. */
const LOCKED = process.platform === 'darwin' ? 0x20 : 0
const OPEN = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | LOCKED

/** Opens and locks a file. Resolves with null if another process has the lock. */
async function tryLock(path: string): Promise<FileHandle | null> {
  const file = await open(path, OPEN, OWNERS).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EAGAIN') throw error
    return null
  })
  if (file === null) return null
  const isOurs = LOCKED !== 0 || (await runFlock(file))
  // The previous holder may have removed the file after it was opened here. Another process would
  // then create and lock a new file at this path, so this process opens the path again.
  if (isOurs && (await isSameFile(path, file))) return file
  await file.close()
  return isOurs ? tryLock(path) : null
}

/**
 * Locks an open file by a child process that inherits it. The lock remains with this process when
 * the child ends.
 * Resolves with false if another process has the lock.
 */
async function runFlock({ fd }: FileHandle): Promise<boolean> {
  const command = spawn('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] })
  const [code] = await once(command, 'close').catch((error: Error) => {
    throw new Error(`cannot lock the folder with "flock" (util-linux): ${error.message}`)
  })
  if (code > 1)
    throw new Error(`"flock" exited with ${code}: the file system does not support locks`)
  return code === 0
}

async function isSameFile(path: string, file: FileHandle): Promise<boolean> {
  const stats = await stat(path).catch(() => null)
  return stats?.ino === (await file.stat()).ino
}
