import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const folder = fileURLToPath(new URL('..', import.meta.url))
const packages = fileURLToPath(new URL('../../../packages', import.meta.url))

/** Returns the time of the newest source below a folder in milliseconds; 0 without sources. */
async function newestIn(place: string): Promise<number> {
  const names = await readdir(place, { recursive: true }).catch(() => [])
  const sources = names.filter(
    (name) => /(^|\/)src\/|^index\.html$/.test(name) && !name.includes('node_modules'),
  )
  const times = sources.map(async (name) => (await stat(join(place, name))).mtimeMs)
  return Math.max(0, ...(await Promise.all(times)))
}

/**
 * Builds the page for `af serve` if a source is newer than the built page. `npm test` builds it
 * beforehand, because a build would disturb other tests that read the page.
 */
export async function buildPage(): Promise<void> {
  const built = await stat(join(folder, 'dist/index.html')).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
  const newest = Math.max(await newestIn(folder), await newestIn(packages))
  if (built < newest) await build({ root: folder, logLevel: 'error' })
}
