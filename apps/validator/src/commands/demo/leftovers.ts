import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readRegularFile } from '@affine/chain/file'

const PREFIX = 'affine-demo-'
/** The file by which a folder is known, and what it says: the process that made the folder. */
const MARK = 'made-by'
const MADE_BY = /^af demo, process (\d+)\n$/

/** A folder that a demo made for itself, and left. */
export interface Leftover {
  readonly folder: string
  readonly bytes: number
}

/** Makes a folder for a demo, known as such. */
export async function demoFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), PREFIX))
  await writeFile(join(folder, MARK), `af demo, process ${process.pid}\n`)
  return folder
}

/** What demos that have ended left, by this user. */
export async function leftovers(): Promise<readonly Leftover[]> {
  const names = await readdir(tmpdir()).catch(() => [])
  const folders = names
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(tmpdir(), name))
  const found: Leftover[] = []
  for (const folder of folders.sort())
    if (await isLeftover(folder)) found.push({ folder, bytes: await bytesIn(folder) })
  return found
}

/** Removes what demos left, unless it is something else by now. No link is followed. */
export async function remove(found: readonly Leftover[]): Promise<void> {
  for (const { folder } of found)
    if (await isLeftover(folder)) await rm(folder, { recursive: true })
}

/** Is it a folder, no link, of this user, with the mark of a demo that has ended? */
async function isLeftover(folder: string): Promise<boolean> {
  const [there, mark] = await Promise.all([statOf(folder), statOf(join(folder, MARK))])
  const uid = process.getuid?.() ?? there?.uid
  if (!there?.isDirectory() || there.uid !== uid || !mark?.isFile()) return false
  const said = await readRegularFile(join(folder, MARK), 100).catch(() => null)
  const [, pid] = MADE_BY.exec(said?.bytes.toString() ?? '') ?? []
  return pid !== undefined && !isRunning(Number(pid))
}

const statOf = (path: string) => lstat(path).catch(() => null)

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await statOf(join(parentPath, name)))?.size ?? 0),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
