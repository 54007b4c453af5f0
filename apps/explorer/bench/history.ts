import { link, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { makeEvidence, type Size } from '../../../bench/evidence.ts'
import { AF, start } from '../../../test/processes.ts'

/** A subnet's history, served with the page. */
export interface History extends AsyncDisposable {
  readonly chain: string
  readonly buckets: string
  readonly url: string
}

/** Makes a history of this size with a local chain's rules, and serves it with the page. */
export async function serveHistory(size: Omit<Size, 'envs'>): Promise<History> {
  const root = await mkdtemp(join(tmpdir(), 'explorer-history-'))
  await makeEvidence(root, size)
  const [chain, buckets] = [join(root, 'chain.json'), join(root, 'buckets')]
  const { neurons } = JSON.parse((await readFile(chain, 'utf8')).split('\n')[0] ?? '')
  const voters: { hotkey: string }[] = neurons.slice(0, size.validators)
  for (const { hotkey } of voters) await linkAll(join(root, 'bucket'), join(buckets, hotkey))
  const serving = start(AF, ['serve', buckets, '--network', chain, '--port', '0'])
  const [, url = ''] = await serving.says(/ at (http:\/\/[^;]+);/)
  return {
    chain,
    buckets,
    url: `${url}/`,
    [Symbol.asyncDispose]: async () => {
      await serving.stop()
      await rm(root, { recursive: true })
    },
  }
}

/** Links all files of a folder into another folder. */
async function linkAll(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((each) => each.isFile())) {
    const place = join(entry.parentPath, entry.name)
    const other = join(to, place.slice(from.length))
    await mkdir(dirname(other), { recursive: true })
    await link(place, other)
  }
}
