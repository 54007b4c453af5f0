import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ReadingSubnet } from './reading-subnet.ts'

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
