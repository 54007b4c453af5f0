import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { httpBucket, LIMITS, statePath } from '@affine/blocks'
import { nodeFetch } from '@affine/blocks/node-fetch'
import { isPlainName } from '../bucket-address.ts'
import type { Subnet } from '../networks.ts'
import { commitmentsOf } from '../snapshot.ts'

/** A bucket that a validator announced by name, and the epoch whose state it should have. */
interface NamedBucket {
  readonly name: string
  readonly epoch: number
}

/**
 * Resolves if at least one of the buckets that validators announced by name is below `base`, or if
 * none was announced by name.
 * @throws RangeError, as a rejection, if none is there, or if `base` is missing and all were
 *   announced by name.
 */
export async function expectBuckets(subnet: Subnet, base: string | undefined): Promise<void> {
  const { named, urlCount } = await announcedIn(subnet)
  const [first] = named
  if (first === undefined) return
  if (base === undefined) {
    if (urlCount > 0) return
    const given = `validators announced them by name, as ${first.name}`
    throw new RangeError(`"buckets" expected the folder or URL where buckets are: ${given}`)
  }
  for (const each of named) if (await isBelow(base, each, subnet)) return
  const lack = `none of the ${named.length} announced by name is there`
  throw new RangeError(
    `"buckets" expected the folder or URL where buckets are, got ${base}: ${lack}`,
  )
}

/**
 * The buckets that validators with a permit announced by plain names, and how many others they
 * announced by URLs.
 */
async function announcedIn({ chain }: Subnet) {
  const snapshot = await chain.snapshot((await chain.head()).number)
  const said = commitmentsOf(snapshot)
  const named: NamedBucket[] = []
  let urlCount = 0
  for (const { hotkey, permit } of snapshot.neurons) {
    const commitment = permit ? said.get(hotkey) : undefined
    if (commitment === undefined || commitment.kind === 'miner') continue
    const { url, epoch } = commitment
    if (isPlainName(url)) named.push({ name: url, epoch })
    else urlCount += 1
  }
  return { named, urlCount }
}

/**
 * Is the bucket below `base`? At a URL its state is looked for, except that of a network's first
 * epoch, which nobody serves.
 */
async function isBelow(base: string, { name, epoch }: NamedBucket, { network }: Subnet) {
  if (!/^https?:\/\//.test(base)) {
    const found = await stat(join(base, name)).catch(() => null)
    return found?.isDirectory() === true
  }
  if (epoch <= network.firstEpoch) return true
  const options = { fetch: nodeFetch, timeoutMs: 10_000 }
  const { read } = httpBucket(`${base.replace(/\/$/, '')}/${name}`, options)
  return (await read(statePath(epoch), LIMITS.blockBytes).catch(() => null)) !== null
}
