import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { type FileHandle, open, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { makeFolder, OWNERS, syncFolders } from './folders.ts'
import { readRegularFile } from './regular-file.ts'

/** The locks that are held. Without a reference, Node would close their files. */
const held = new Set<FileHandle>()

/**
 * Locks a folder for this process, so that two validators never sign from one journal; disposing
 * unlocks it. The operating system holds the lock, on the file `lock` in the folder: only one
 * process gets it, containers that share the folder see it, and it ends when the process ends,
 * however that happens. It works between machines if their file system supports it, as NFS does.
 * A folder that it makes is hidden from Git: in a checkout `git add -A` would stage its secrets.
 *
 * @throws Error naming the process that holds it.
 */
export async function holdFolder(folder: string): Promise<AsyncDisposable> {
  const place = resolve(folder)
  const path = join(place, 'lock')
  const made = await makeFolder(place, 0o700)
  if (made !== undefined) {
    await writeFile(join(place, '.gitignore'), '*\n', { mode: OWNERS })
    await syncFolders(place, dirname(made))
  }
  const file = await lockFile(path)
  if (file === null) {
    const holder = await readRegularFile(path, 1000).catch(() => null)
    const who = holder?.bytes.toString() || '?'
    throw new Error(`${place} is in use by process ${who}: stop it, or name another folder`)
  }
  await sign(file)
  return hold(file, () => rm(path, { force: true }))
}

/**
 * Locks a file for this process, as `holdFolder` locks a folder. A missing file is made, for its
 * owner alone.
 *
 * @throws Error while another process holds it; RangeError for a path that is not a regular file.
 */
export async function holdFile(path: string): Promise<AsyncDisposable> {
  await makeFolder(dirname(resolve(path)), 0o700)
  const file = await lockFile(path)
  if (file === null)
    throw new Error(`${path} is in use by another process: wait for its end, or name another file`)
  if ((await file.stat()).isFile()) return hold(file)
  await file.close()
  throw new RangeError(`${path} expected to be a regular file`)
}

/** Keeps a locked file open until it is disposed of. Calls `end` before it closes the file. */
function hold(file: FileHandle, end?: () => Promise<void>): AsyncDisposable {
  held.add(file)
  const release = async (): Promise<void> => {
    await end?.()
    held.delete(file)
    await file.close()
  }
  return { [Symbol.asyncDispose]: release }
}

/** Writes into the lock who holds it, for people. It may fail, as on a full disk. */
async function sign(file: FileHandle): Promise<void> {
  try {
    await file.truncate()
    await file.write(`${process.pid} on ${hostname()}`)
  } catch {}
}

/** macOS has no command for locks, but `open` locks a file with this flag, `O_EXLOCK`. */
const LOCKED = process.platform === 'darwin' ? 0x20 : 0
const OPEN = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | LOCKED

/** Opens a file and locks it until it is closed; null if another process has locked it. */
async function lockFile(path: string): Promise<FileHandle | null> {
  const file = await open(path, OPEN, OWNERS).catch(nullIfLocked)
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
 * Locks a file that this process has open. A child process that inherits it takes the lock, which
 * then holds for this process too. False if another process has locked it.
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
