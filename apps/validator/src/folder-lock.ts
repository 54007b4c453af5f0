import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/**
 * Takes a folder for this process, so that no two validators sign from one journal; resolves with what gives it back.
 * A lock whose process is gone, as after a kill, is taken over.
 *
 * @throws Error naming the process that holds it.
 */
export async function holdFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, 'lock')
  for (;;) {
    const file = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return null
      throw error
    })
    if (file !== null) {
      await file.writeFile(String(process.pid))
      await file.close()
      return () => rm(path, { force: true })
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''))
    if (holder > 0 && holder !== process.pid && isAlive(holder)) {
      throw new Error(`${resolve(folder)} is in use by process ${holder}: stop it, or name another --folder`)
    }
    await rm(path, { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
