import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AF, AF_VERIFY, killAll, type ProcessResult, run, start } from '../../../test/processes.ts'
import { buildPage } from './build-page.ts'

/** The result, which `af-verify --json` prints last. */
interface Verified {
  readonly champion: string
  readonly root: string
  readonly flaws: number
  readonly conclusion: string
}

/** A run of the demo, which then serves its page, and the result of `af-verify`. */
export interface Demo extends AsyncDisposable {
  /** Folder that contains `out`. The demo removes `out` when it ends. */
  readonly root: string
  readonly out: string
  /** URL of the page. */
  readonly url: string
  readonly verified: Verified
  /** Interrupts the demo. Resolves when it has ended. */
  readonly stop: () => Promise<ProcessResult>
}

/** Seed of a run with a new champion, in which mallory invents transcripts. */
const SEED = '7'

/** Builds the page, and runs the demo until it serves the page. */
export async function runDemo(): Promise<Demo> {
  await buildPage()
  const root = await mkdtemp(join(tmpdir(), 'demo-'))
  const demo = start(AF, ['demo', '--open', '--seed', SEED], { env: { TMPDIR: root } })
  const [, url = ''] = await demo.says(/Open (http:\S+) in a browser \(Ctrl-C stops it\)\n/)
  const [folder = ''] = await readdir(root)
  const out = join(root, folder)
  const words = [join(out, 'buckets'), '--network', join(out, 'chain.json'), '--json']
  const { stdout } = await run(AF_VERIFY, words)
  return {
    root,
    out,
    url,
    verified: JSON.parse(stdout.trim().split('\n').at(-1) ?? ''),
    stop: () => demo.stop(),
    [Symbol.asyncDispose]: async () => {
      await killAll()
      await rm(root, { recursive: true })
    },
  }
}
