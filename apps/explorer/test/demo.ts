import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Verification } from '@affine/report'
import { AF, AF_VERIFY, killAll, run, start } from '../../../test/processes.ts'
import { buildPage } from './build-page.ts'

/** A run of the demo. */
export type Demo = Awaited<ReturnType<typeof runDemo>>

/** Seed of a run with a new champion, in which mallory invents transcripts. */
const SEED = '7'

/**
 * Builds the page, and runs the demo until it serves the page at `url`. The demo writes into `out`,
 * a folder in `root`, and removes it when it ends. `verified` is the result of `af-verify`.
 */
export async function runDemo() {
  await buildPage()
  const root = await mkdtemp(join(tmpdir(), 'demo-'))
  const demo = start(AF, ['demo', '--open', '--seed', SEED], { env: { TMPDIR: root } })
  const [, url = ''] = await demo.says(/Open (http:\S+) in a browser \(Ctrl-C stops it\)\n/)
  const [folder = ''] = await readdir(root)
  const out = join(root, folder)
  const words = [join(out, 'buckets'), '--network', join(out, 'chain.json'), '--json']
  const { stdout } = await run(AF_VERIFY, words)
  const verified: Verification = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  return {
    ...{ root, out, url, verified },
    /** Interrupts the demo. Resolves when it has ended. */
    stop: () => demo.stop(),
    [Symbol.asyncDispose]: async () => {
      await killAll()
      await rm(root, { recursive: true })
    },
  }
}
