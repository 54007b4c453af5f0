import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onceARun } from '../../../test/once-a-run.ts'
import { AF, AF_VERIFY, killAll, run, start } from '../../../test/processes.ts'
import { buildPage } from './build-page.ts'

/** What `af-verify --json` says of the whole, and of each epoch. */
interface Verified {
  readonly champion: string
  readonly root: string
  readonly flaws: number
  readonly conclusion: string
}

/** A real run of the demo, the page built and served beside it, and what `af-verify` says of it. */
export interface Demo extends AsyncDisposable {
  readonly out: string
  /** Where the page is. */
  readonly url: string
  readonly verified: Verified
}

/** The seed of a run in which the throne changes hands, and mallory makes its transcripts up. */
const SEED = '7'

/** Builds the page, and runs the demo, once a run of the tests. */
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
