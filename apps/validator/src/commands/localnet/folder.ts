import { resolve } from 'node:path'
import type { LocalChain } from '@affine/chain'
import { begunWith, hasChain, isUnused, type KeyCounts } from '@affine/settlement/node'

/** Where a localnet is, and how many keys it begins with, unless it is told otherwise. */
export const DEFAULTS = { port: 9944, out: 'localnet', validators: 3, miners: 2 } as const

/** @throws RangeError for what is not the folder of a localnet. */
export function expectChain(folder: string): void {
  if (hasChain(folder)) return
  throw new RangeError(`"--out" expected the folder of a localnet, got ${resolve(folder)}`)
}

/** @throws RangeError for a folder that holds other things than a localnet. */
export async function expectFolder(folder: string): Promise<void> {
  if (hasChain(folder) || (await isUnused(folder))) return
  throw new RangeError(
    `"--out" expected an empty folder, or that of a localnet, got ${resolve(folder)}`,
  )
}

/** @throws RangeError if the chain began with other numbers of keys than are asked for. */
export async function expectBegun(
  chain: LocalChain,
  asked: { readonly [role in keyof KeyCounts]?: number | undefined },
): Promise<void> {
  const began = await begunWith(chain)
  for (const role of ['validators', 'miners'] as const) {
    const wanted = asked[role] ?? began[role]
    if (wanted === began[role]) continue
    const begun = `${began[role]}, with which the chain of this folder began`
    const advice = 'miners are added by af localnet add-miner'
    throw new RangeError(`"--${role}" expected ${begun}, got ${wanted}: ${advice}`)
  }
}
