import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/**
 * Creates a folder that is deleted when this process ends. It is inside node_modules, since bundled
 * programs search for their packages from their own folder.
 */
function sharedFolder(): string {
  const modules = fileURLToPath(new URL('../packages/settlement/node_modules', import.meta.url))
  mkdirSync(modules, { recursive: true })
  const folder = mkdtempSync(join(modules, '.tests-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Creates the folder that tests share through `onceARun`. Vitest calls it before all tests. */
export default function setup(): void {
  process.env.TESTS_SHARE = sharedFolder()
}

/**
 * Makes a shared folder unless another test of this run, in any process, has made it. Resolves with
 * its path. No test may change its content.
 *
 * @throws the error of `make`; an Error in the tests that waited for the folder.
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
