import { readFileSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { syncFolders } from '@affine/blocks/directory'
import { makeFolder } from './make-folder.ts'

/**
 * Takes a folder for this process, so that no two validators sign from one journal; disposing gives
 * it back. A lock whose process is gone, as after a kill, is taken over. Of two that come at once,
 * at most one gets it.
 *
 * @throws Error naming the process that holds it.
 */
export async function holdFolder(folder: string): Promise<AsyncDisposable> {
  const place = resolve(folder)
  const own = `lock.${process.pid}.${startOf(process.pid)}`
  const unlock = (name: string): Promise<void> => rm(join(place, name), { force: true })
  const made = await makeFolder(place)
  if (made !== undefined) await syncFolders(place, dirname(made))
  // Each shows its own lock before it looks for others', so at least the later of two sees the
  // other.
  await writeFile(join(place, own), '')
  for (const name of await readdir(place)) {
    const maker = makerOf(name)
    if (maker === undefined || name === own) continue
    if (isHolding(maker)) {
      await unlock(own)
      const advice = 'stop it, or name another --folder'
      throw new Error(`${place} is in use by process ${maker.pid}: ${advice}`)
    }
    await unlock(name)
  }
  return { [Symbol.asyncDispose]: () => unlock(own) }
}

/** The process that made a lock; `start` is when it was started, as `startOf` says. */
interface Maker {
  readonly pid: number
  readonly start: string
}

/** Who made a lock, which its name says; undefined for a file that is none. */
function makerOf(name: string): Maker | undefined {
  const [, pid, start = ''] = /^lock\.(\d+)\.(\d*)$/.exec(name) ?? []
  if (pid === undefined) return undefined
  return { pid: Number(pid), start }
}

/** Does the process that made a lock still live? As far as the system tells. */
function isHolding({ pid, start }: Maker): boolean {
  const now = startOf(pid)
  const isAnother = start !== '' && now !== '' && start !== now
  return isAlive(pid) && !isAnother
}

/**
 * When a process was started, in ticks since the machine was, where the system tells: it tells a
 * process from another that got its id after it. '' elsewhere.
 */
function startOf(pid: number): string {
  try {
    // The second field is the program's name, in parentheses, and may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)
    return fields?.split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
