import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/**
 * Takes a folder for this process, so that no two validators sign from one journal; disposing gives it back.
 * A lock whose process is gone, as after a kill, is taken over. Of two that come at once, at most one gets it.
 *
 * @throws Error naming the process that holds it.
 */
export async function holdFolder(folder: string): Promise<AsyncDisposable> {
  const unlock = (pid: number): Promise<void> => rm(join(folder, `lock.${pid}`), { force: true })
  await mkdir(folder, { recursive: true })
  // Each shows its own lock before it looks for others', so at least the later of two sees the other.
  await writeFile(join(folder, `lock.${process.pid}`), '')
  for (const name of await readdir(folder)) {
    const pid = Number(/^lock\.(\d+)$/.exec(name)?.[1] ?? process.pid)
    if (pid !== process.pid && isAlive(pid)) {
      await unlock(process.pid)
      throw new Error(`${resolve(folder)} is in use by process ${pid}: stop it, or name another --folder`)
    }
    if (pid !== process.pid) await unlock(pid)
  }
  return { [Symbol.asyncDispose]: () => unlock(process.pid) }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
