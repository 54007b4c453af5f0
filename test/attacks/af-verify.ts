import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { verify } from '../../apps/verifier/src/verify.ts'
import { captureOutput } from '../../packages/terminal/test/within.ts'
import type { ReadingSubnet } from './reading-subnet.ts'

/**
 * Runs `af-verify` on a subnet's chain and buckets, which are files, or served at `url` if given.
 * Resolves with the exit code, the flaws, and the last champion and state root.
 */
export async function afVerify(subnet: ReadingSubnet, url?: string) {
  const base = await mkdtemp(join(tmpdir(), 'attack-'))
  try {
    await writeSubnet(subnet, base)
    const { chain, network } = subnet
    const records: Readonly<Record<string, string>>[] = []
    const screen = {
      line: (_: string, record: object) => void records.push({ ...record }),
      status: () => {},
      wait: () => {},
    }
    const job = { base: url ?? base, jobs: 1 }
    const { code } = await captureOutput(() => verify({ chain, network }, job, screen))
    const flaws = records.filter(({ type }) => type === 'flaw')
    const { champion = '', root = '' } = records.at(-1) ?? {}
    return { code, champion, root, flaws: flaws.map((flaw) => `${flaw.code} ${flaw.validator}`) }
  } finally {
    await rm(base, { recursive: true })
  }
}

/** Writes a subnet's chain and buckets into a folder. Resolves with the path of the chain. */
export async function writeSubnet(subnet: ReadingSubnet, root: string): Promise<string> {
  const chain = join(root, 'chain.json')
  await writeFile(chain, subnet.chain.export())
  for (const [path, bytes] of subnet.buckets.files()) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), bytes)
  }
  return chain
}
