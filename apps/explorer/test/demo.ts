import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onceARun } from '../../../test/once-a-run.ts'
import { AF, AF_VERIFY, killAll, run, start } from '../../../test/processes.ts'
import { buildPage } from './build-page.ts'

/** The result, which `af-verify --json` prints last. */
interface Verified {
  readonly champion: string
  readonly root: string
  readonly flaws: number
  readonly conclusion: string
}

/** A run of the demo with the page served next to it, and the result of `af-verify`. */
export interface Demo extends AsyncDisposable {
  readonly out: string
  /** URL of the page. */
  readonly url: string
  readonly verified: Verified
}

/** Seed of a run with a new champion, in which mallory invents transcripts. */
const SEED = '7'

/** Builds the page, runs the demo once per test run, and serves both. */
export async function runDemo(): Promise<Demo> {
  await buildPage()
  const folder = await onceARun('demo', async (making) => {
    const out = join(making, 'out')
    const { code, stderr } = await run(AF, ['demo', '--seed', SEED, '--out', out])
    if (code !== 0) throw new Error(`the demo ended with ${code}: ${stderr}`)
    const words = [join(out, 'buckets'), '--network', join(out, 'chain.json'), '--json']
    const { stdout } = await run(AF_VERIFY, words)
    await writeFile(join(making, 'verified.json'), stdout.trim().split('\n').at(-1) ?? '')
  })
  const out = join(folder, 'out')
  const verified = JSON.parse(await readFile(join(folder, 'verified.json'), 'utf8'))
  const words = [join(out, 'buckets'), '--network', join(out, 'chain.json'), '--port', '0']
  const serving = start(AF, ['serve', ...words])
  const [, url = ''] = await serving.says(/ at (http:\/\/[^;]+);/)
  return {
    out,
    url: `${url}/`,
    verified,
    [Symbol.asyncDispose]: async () => {
      await serving.stop()
      await killAll()
    },
  }
}
