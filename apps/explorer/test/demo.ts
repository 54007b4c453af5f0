import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AF, AF_VERIFY, killAll, run, start } from '../../../test/processes.ts'
import { buildPage } from './build-page.ts'

/** What `af-verify --json` says of the whole, and of each epoch. */
interface Verified {
  readonly champion: string
  readonly root: string
  readonly flaws: number
}

/** A real run of the demo, the page built and served beside it, and what `af-verify` says of it. */
export interface Demo extends AsyncDisposable {
  readonly out: string
  /** Where the page is. */
  readonly url: string
  readonly verified: Verified
}

/** The seed of a run in which the throne changes hands, and mallory makes its transcripts up. */
export const SEED = '7'

/** Builds the page, and runs the demo. */
export async function runDemo(): Promise<Demo> {
  const root = await mkdtemp(join(tmpdir(), 'explorer-'))
  const out = join(root, 'out')
  await buildPage()
  const { code, stderr } = await run(AF, ['demo', '--seed', SEED, '--out', out])
  if (code !== 0) throw new Error(`the demo ended with ${code}: ${stderr}`)
  const chain = join(out, 'chain.json')
  const { stdout } = await run(AF_VERIFY, [join(out, 'buckets'), '--network', chain, '--json'])
  const verified = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  const serving = start(AF, ['serve', join(out, 'buckets'), '--network', chain, '--port', '0'])
  const [, url = ''] = await serving.says(/ at (http:\/\/[^;]+);/)
  return {
    out,
    url: `${url}/`,
    verified,
    [Symbol.asyncDispose]: async () => {
      await serving.stop()
      await killAll()
      await rm(root, { recursive: true })
    },
  }
}
