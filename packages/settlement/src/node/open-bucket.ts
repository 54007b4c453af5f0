import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Bucket,
  type BucketFailureFacts,
  httpBucket,
  isBucketUrl,
  isPlainName,
  STATE_BYTES,
  statePath,
} from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { nodeFetch } from '@affine/node/http'
import type { OpenBucket } from '../bucket-reader.ts'
import { describeFailure, tryRead } from '../copies.ts'
import type { Network, Subnet } from '../networks.ts'
import { decodeCommitments } from '../on-chain.ts'
import { publicFetch } from './public-fetch.ts'

/** Fetch from public addresses, shared by all buckets to reuse connections. */
const publicOnly = publicFetch()

/**
 * Returns a function that opens announced buckets. A plain name is looked up below `base`, a folder
 * or URL that the reader chose, so that an announcement cannot lead elsewhere. An https URL with
 * only a host and a path is read from public addresses; on a network whose miners are on loopback,
 * http URLs and any address are allowed too. Protocol §6.4.
 */
export function createBucketOpener(
  base: string | undefined,
  network?: Pick<Network, 'platform'>,
): OpenBucket {
  const isLocal = network?.platform === 'loopback'
  const fetch = isLocal ? nodeFetch : publicOnly
  return (hotkey, url) => {
    if (isBucketUrl(url, isLocal)) return { name: hotkey, ...httpBucket(url, { fetch }) }
    if (base === undefined || !isPlainName(url)) return null
    return { name: hotkey, read: openBelow(base, url).read }
  }
}

/**
 * Resolves if a bucket that was announced by name is below `base`, if none was announced by name,
 * or if `base` is missing and some were announced by URL.
 * @throws RangeError, as a rejection, if no such bucket exists, or if `base` is missing and all
 *   buckets were announced by name. Error if some cannot be read and the others do not exist.
 */
export async function expectBuckets(
  { chain, network }: Subnet,
  base: string | undefined,
): Promise<void> {
  const snapshot = await chain.snapshot((await chain.head()).number)
  const commitments = decodeCommitments(snapshot)
  const announced = snapshot.neurons.flatMap(({ hotkey, permit }) => {
    const commitment = permit ? commitments.get(hotkey) : undefined
    return commitment === undefined || commitment.kind === 'miner' ? [] : commitment
  })
  const named = announced.filter(({ url }) => isPlainName(url))
  const [first] = named
  if (first === undefined) return
  if (base === undefined) {
    if (announced.length > named.length) return
    const given = `validators announced them by name, such as ${first.url}`
    throw new RangeError(`"buckets" expected the folder or URL where buckets are: ${given}`)
  }
  const failures: string[] = []
  for (const { url: name, epoch } of named) {
    const result = await findBucket(base, name, epoch > network.firstEpoch ? epoch : undefined)
    if (result === 'there') return
    if (result !== 'missing') failures.push(`${name}: ${describeFailure(result)}`)
  }
  const [failure] = failures.sort()
  const count = `${failures.length} of the ${named.length} announced by name`
  if (failure !== undefined)
    throw new Error(
      `no bucket is found below ${base}, ${count} cannot be read (${failure}): try again later`,
    )
  const lack =
    `none of the ${named.length} announced by name exists: ` +
    'validators create them in their first epoch; wait, or name another folder or URL'
  throw new RangeError(
    `"buckets" expected the folder or URL where buckets are, got ${base}: ${lack}`,
  )
}

/**
 * Looks for a bucket below `base`: for its folder, or at a URL for its state of `epoch`. Without an
 * epoch, a bucket at a URL is assumed to exist: none serves the network's first state.
 */
async function findBucket(
  base: string,
  name: string,
  epoch: number | undefined,
): Promise<'there' | 'missing' | BucketFailureFacts> {
  if (!isUrl(base)) return findFolder(join(base, name))
  if (epoch === undefined) return 'there'
  const answer = await tryRead(openBelow(base, name, 10_000), statePath(epoch), STATE_BYTES)
  if (answer === null) return 'missing'
  const isThere = answer instanceof Uint8Array || answer.code === 'too-large'
  return isThere ? 'there' : answer
}

async function findFolder(path: string): Promise<'there' | 'missing' | BucketFailureFacts> {
  try {
    return (await stat(path)).isDirectory() ? 'there' : 'missing'
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return MISSING.has(code) ? 'missing' : { code: 'disk', reason: code }
  }
}

/** System codes for a path without a file. */
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'])

const isUrl = (base: string): boolean => /^https?:\/\//.test(base)

function openBelow(base: string, name: string, timeoutMs?: number): Pick<Bucket, 'read'> {
  if (!isUrl(base)) return directoryBucket(join(base, name))
  const options = { fetch: nodeFetch, ...(timeoutMs && { timeoutMs }) }
  return httpBucket(`${base.replace(/\/$/, '')}/${name}`, options)
}
