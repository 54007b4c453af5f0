import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeFolder, OWNERS, syncFolders } from './folders.ts'

/** Files of all locks. Node closes files without a reference. */
const openLocks = new Set<FileHandle>()

/**
 * Locks a folder for this process until the result is disposed of, so that two validators never
 * sign from one journal. The lock is the operating system's, on the file `lock`, which remains in
 * the folder: only one process gets it, containers that share the folder see it, and it ends with
 * the process, even after a crash. It works between machines if their file system supports it, as
 * NFS does. Creates a missing folder with a `.gitignore`, without which `git add -A` would stage
 * the folder's secrets.
 *
 * @throws Error, as a rejection, while another process has the lock, or if locks do not work.
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const place = resolve(folder)
  const made = await makeFolder(place, 0o700)
  if (made !== undefined) {
    await writeFile(join(place, '.gitignore'), '*\n', { mode: OWNERS })
    await syncFolders(place, dirname(made))
  }
  return lock(join(place, 'lock'), place)
}

/**
 * Locks a file for this process, as `lockFolder` does. Creates a missing file, which only its owner
 * can read, but no folder.
 *
 * @throws Error, as a rejection, while another process has the lock, or if locks do not work;
 *   RangeError for a pipe or a device.
 */
export const lockFile = (path: string): Promise<AsyncDisposable> => lock(path, path)

/** `O_EXLOCK`: `open` locks the file on macOS, which has no command `flock`. 0 elsewhere. */
const LOCKED = process.platform === 'darwin' ? 0x20 : 0
const OPEN = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | LOCKED

/** Locks the file at `path`, and keeps it open until the result is disposed of. */
async function lock(path: string, place: string): Promise<AsyncDisposable> {
  const inUse = new Error(
    `${place} is in use by another process: stop it or wait until it ends, or use another place`,
  )
  const file = await open(path, OPEN, OWNERS).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EAGAIN' ? inUse : error
  })
  try {
    if (!(await file.stat()).isFile()) throw new RangeError(`${path} expected to be a regular file`)
    if (LOCKED === 0 && !(await runFlock(file))) throw inUse
  } catch (error) {
    await file.close()
    throw error
  }
  openLocks.add(file)
  const release = (): Promise<void> => {
    openLocks.delete(file)
    return file.close()
  }
  return { [Symbol.asyncDispose]: release }
}

/**
 * Locks an open file by a child process that inherits it. The lock remains with this process when
 * the child ends. Resolves with false if another process has the lock.
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
