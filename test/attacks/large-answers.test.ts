import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import type { Sample } from '../../packages/blocks/src/index.ts'
import type { Account } from '../../packages/chain/src/index.ts'
import { type OpenBucket, sealBlock } from '../../packages/settlement/src/index.ts'
import { testFolder } from '../test-folder.ts'
import { follow } from './following.ts'
import { hotkeys, network, ReadingSubnet } from './reading-subnet.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const MIB = 1_048_576
const LIARS = 8
/** Maximum MiB in memory. Readers once held twice as much: 1 MiB of each liar for each lane. */
const MOST_HELD = 4 * LIARS

/** Starts a subnet of three honest voters and liars with little stake, up to its first duel. */
async function startWithSmallStakes() {
  const subnet = new ReadingSubnet([1000, 1000, 1000, ...Array(LIARS).fill(1)])
  const state = await subnet.begin(subnet.voters.slice(1))
  const [own, ...honest] = subnet.voters.slice(0, 3) as [Account, Account, Account]
  return { subnet, state, own, honest, liars: subnet.voters.slice(3) }
}

/** Opens a subnet's buckets, but the buckets of `liars` serve `answer` for every block. */
function openLying(
  { buckets }: ReadingSubnet,
  liars: readonly Account[],
  answer: () => Uint8Array,
): OpenBucket {
  return buckets.openWith(hotkeys(liars), async (own, path, limit) =>
    path.startsWith('v1/blocks') ? answer() : own(path, limit),
  )
}

/** Returns the size of all buffers after a garbage collection, in MiB. */
function measureBuffers(): number {
  collect()
  return process.memoryUsage().arrayBuffers / MIB
}

const root = testFolder('large-answers')

// Validator and verifier once held every answer: 2 GB for 16 liars that answer 8 MiB for 16 lanes.
test('a validator that audits lanes releases answers that are not blocks', async () => {
  const { subnet, state, own, honest, liars } = await startWithSmallStakes()
  const before = measureBuffers()
  const seen = { given: 0, held: 0 }
  /** Serves 1 MiB that is not a block. Counts the answers and the maximum of MiB in memory. */
  const answer = (): Uint8Array => {
    seen.given += 1
    if (seen.given % LIARS === 0) seen.held = Math.max(seen.held, measureBuffers() - before)
    return new Uint8Array(MIB)
  }
  const openBucket = openLying(subnet, liars, answer)
  const { validator } = await follow(root, subnet, own, { openBucket })
  // No one has the blocks that the liars seal.
  for (const [i, liar] of liars.entries())
    await subnet.seal(liar, state, String(i).padStart(64, 'a'))
  await subnet.sealAll(state, honest)
  await subnet.produceTo(sealBlock(2, network.protocol) + 1)
  await validator.stop()
  expect(seen.given).toBe(LIARS * LIARS)
  expect(seen.held).toBeLessThan(MOST_HELD)
})

// Readers once read each answer to its end, since the lane's validator might have signed it too.
test('reads a block that liars serve for every hash only up to its signature', async () => {
  const { subnet, state, own, honest, liars } = await startWithSmallStakes()
  const [liar = own] = liars
  const messages = Array.from({ length: 200 }, () => [
    { role: 'user' as const, content: 'a' },
    { role: 'assistant' as const, content: 'b' },
  ]).flat()
  const alter = (samples: readonly Sample[]) => samples.map((sample) => ({ ...sample, messages }))
  const { bytes } = await subnet.lane(liar, state, { alter })
  await subnet.sealAll(state, honest)
  await subnet.attestAll(state, subnet.voters, hotkeys(honest))
  await subnet.end(state)
  const decode = vi.spyOn(TextDecoder.prototype, 'decode')
  const countDecoded = async (answer: () => Uint8Array): Promise<number> => {
    decode.mockClear()
    await subnet.recompute({ from: state, openBucket: openLying(subnet, liars, answer) })
    const sizes = decode.mock.calls.map(([line]) => line?.byteLength ?? 0)
    return sizes.reduce((sum, size) => sum + size, 0)
  }
  const less = await countDecoded(() => new Uint8Array(9))
  const more = await countDecoded(() => bytes)
  decode.mockRestore()
  const copies = LIARS * honest.length
  expect(more - less).toBeLessThan(copies * 1500)
})
