import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/**
 * A folder that is gone when this process ends. In these modules, since bundled programs look for
 * their packages in the folders that they are in.
 */
function sharedFolder(): string {
  const modules = fileURLToPath(new URL('../packages/settlement/node_modules', import.meta.url))
  mkdirSync(modules, { recursive: true })
  const folder = mkdtempSync(join(modules, '.tests-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Before all tests: what one of them makes with `onceARun` is there for the others. */
export default function setup(): void {
  process.env.TESTS_SHARE = sharedFolder()
}

/**
 * Makes a folder that tests share, unless a test of this run, in whatever process, has made it.
 * Nobody alters what is in it.
 *
 * @throws whatever `make` does; an Error in the tests that waited for it.
 */
export async function onceARun(
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  process.env.TESTS_SHARE ??= sharedFolder()
  const done = join(process.env.TESTS_SHARE, name)
  const [making, failed] = [`${done}.making`, `${done}.failed`]
  const isFirst = await mkdir(making).then(
    () => true,
    () => false,
  )
  if (isFirst && !existsSync(done)) {
    try {
      await make(making)
    } catch (error) {
      await writeFile(failed, '')
      throw error
    }
    await rename(making, done)
  }
  while (!existsSync(done)) {
    if (existsSync(failed)) throw new Error(`another test failed to make ${name}`)
    await sleep(50)
  }
  return done
}
