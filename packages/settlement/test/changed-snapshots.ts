import type { Chain, Snapshot } from '@affine/chain'

/** Returns the chain with changed snapshots. */
export function changedSnapshots(
  chain: Chain,
  change: (seen: Snapshot, block: number) => Partial<Snapshot>,
): Chain {
  const snapshot = async (block: number): Promise<Snapshot> => {
    const seen = await chain.snapshot(block)
    return { ...seen, ...change(seen, block) }
  }
  const own = (name: string | symbol) => {
    const value = Reflect.get(chain, name)
    return typeof value === 'function' ? value.bind(chain) : value
  }
  return new Proxy(chain, { get: (_, name) => (name === 'snapshot' ? snapshot : own(name)) })
}
