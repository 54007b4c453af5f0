import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runVerifier } from '../in-process.ts'
import type { ReadingSubnet } from './reading-subnet.ts'

/** What a run of it came to. */
interface Verified {
  readonly code: number | null
  readonly flaws: readonly string[]
  readonly champion: string
  readonly root: string
}

/**
 * What `af-verify` makes of a subnet's chain and buckets: as files, or with the
 * buckets at `url`.
 */
export async function afVerify(subnet: ReadingSubnet, url?: string): Promise<Verified> {
  const root = await mkdtemp(join(tmpdir(), 'attack-'))
  try {
    const chain = await writeSubnet(subnet, root)
    const { code, stdout } = await runVerifier([url ?? root, '--network', chain, '--json'])
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const flaws = records.filter(({ type }) => type === 'flaw')
    const { champion, root: stateRoot } = records.at(-1)
    return {
      code,
      flaws: flaws.map((flaw): string => `${flaw.code} ${flaw.validator}`),
      champion: champion as string,
      root: stateRoot as string,
    }
  } finally {
    await rm(root, { recursive: true })
  }
}

/** Writes a subnet's chain and buckets into a folder; the path of the chain. */
export async function writeSubnet(subnet: ReadingSubnet, root: string): Promise<string> {
  const chain = join(root, 'chain.json')
  await writeFile(chain, subnet.chain.export())
  for (const [path, bytes] of subnet.buckets.files()) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), bytes)
  }
  return chain
}
