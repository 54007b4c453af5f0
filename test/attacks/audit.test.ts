import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { directoryBucket } from '../../packages/blocks/src/directory-bucket.ts'
import { blockPath, LIMITS } from '../../packages/blocks/src/index.ts'
import type { Account } from '../../packages/chain/src/index.ts'
import { bitmapOf, withQuota } from '../../packages/duel/test/subnet.ts'
import {
  type AuditOptions,
  auditLane,
  listAudits,
  publish,
} from '../../packages/engine/src/audit-lane.ts'
import type { Setup } from '../../packages/engine/src/setup.ts'
import {
  BucketReader,
  decodeCommitments,
  sealBlock,
  snapshotBlock,
} from '../../packages/settlement/src/index.ts'
import { testFolder } from '../test-folder.ts'
import { follow } from './following.ts'
import { accountOf, hotkeys, type LanePlan, network, ReadingSubnet } from './reading-subnet.ts'

const { protocol } = network
const root = testFolder('audit')

test('delays neither other lanes nor the next epoch for a silent bucket', async () => {
  const subnet = new ReadingSubnet([100, 100, 100, 1])
  const [own, early, late, silent] = subnet.voters as [Account, Account, Account, Account]
  const head = 'ab'.repeat(32)
  // The bucket never answers for its own lane, so a reader that waits for it waits for ever.
  const openBucket = subnet.buckets.openWith([silent.hotkey], (_, path) =>
    path.includes(head) ? new Promise(() => {}) : Promise.resolve(null),
  )
  const { validator, bucket, ended } = await follow(root, subnet, own, { openBucket })
  const state = await subnet.begin([early, late, silent])
  await expect.poll(() => validator.state?.epoch).toBe(2)
  const first = await subnet.sealOne(early, state, {}, [early.hotkey])
  const second = await subnet.sealOne(late, state, {}, [])
  await subnet.seal(silent, state, head)
  await subnet.produceTo(sealBlock(2, protocol))

  subnet.hear = (head) => validator.onHead(head)
  const copy = (hash: string) => bucket.read(blockPath(hash), 1 << 23)
  await subnet.produceTo(sealBlock(2, protocol) + 1)
  await expect.poll(() => copy(first.hash)).not.toBeNull()
  const lateOne = { kind: 'lane', epoch: 2, hotkey: late.hotkey }
  await expect.poll(ended).toContainEqual(lateOne)
  const before = ended().length
  // The late lane is published while the silent bucket is still being read.
  subnet.put(second, [late.hotkey])
  await subnet.produceTo(sealBlock(2, protocol) + 2)
  await expect.poll(() => ended().slice(before)).toContainEqual(lateOne)
  expect(await copy(second.hash)).not.toBeNull()

  const whole = hotkeys([own, early, late])
  await subnet.attestAll(state, [early, late], whole)
  const commits = vi.spyOn(subnet.chain, 'commit')
  await subnet.produceTo(snapshotBlock(3, protocol) - 1)
  await expect.poll(() => commits).toHaveBeenCalled()
  await subnet.end(state)
  const commitments = decodeCommitments(await subnet.chain.snapshot(subnet.chain.height))
  expect(commitments.get(own.hotkey)).toMatchObject({ bitmap: bitmapOf(state, whole) })

  await subnet.produceTo(snapshotBlock(3, protocol) + 1)
  await expect.poll(() => validator.state?.epoch).toBe(3)
  await validator.idle()
})

test('stores the blocks of a lane only once the lane is valid', async () => {
  const subnet = new ReadingSubnet([100, 100, 100])
  const [own, honest, liar] = subnet.voters as [Account, Account, Account]
  const { bucket, ended, folder } = await follow(root, subnet, own)
  const state = await subnet.begin([honest, liar])
  const whole = await subnet.sealOne(honest, state, {}, [honest.hotkey])
  const empty: LanePlan = { alter: () => [], header: { secret: '00'.repeat(32) } }
  const rubbish = await subnet.sealOne(liar, state, empty, [liar.hotkey])
  await subnet.produceTo(sealBlock(2, protocol) + 1)
  expect(ended()).toContainEqual({ kind: 'lane', epoch: 2, hotkey: liar.hotkey })
  expect(subnet.buckets.readsOf(liar.hotkey)).toContain(blockPath(rubbish.hash))
  expect(await bucket.read(blockPath(whole.hash), 1 << 23)).toEqual(whole.bytes)
  expect(await bucket.read(blockPath(rubbish.hash), 1 << 23)).toBeNull()
  expect(await readdir(join(folder, 'incoming'))).toEqual([])
})

test('draws one secret for the next epoch when several lanes arrive together', async () => {
  const subnet = new ReadingSubnet([100, 100, 100])
  const [own, one, other] = subnet.voters as [Account, Account, Account]
  const disk = directoryBucket(await mkdtemp(join(root, 'store-')))
  const isSecret = (path: string) => path === 'secrets/3'
  // The read is so slow that several heads arrive before the validator knows if it has a secret.
  const read: typeof disk.read = async (path, limit) => {
    const bytes = await disk.read(path, limit)
    if (isSecret(path)) await sleep(100)
    return bytes
  }
  let drawn = 0
  const { validator, problems } = await follow(root, subnet, own, {
    store: { ...disk, read },
    random: (size) => new Uint8Array(size).fill(++drawn),
  })
  const state = await subnet.begin([one, other])
  for (const voter of [one, other]) await subnet.sealOne(voter, state, {}, [voter.hotkey])
  await subnet.produceTo(sealBlock(2, protocol))
  subnet.hear = async (head) => {
    validator.onHead(head)
    await sleep(30)
  }
  await subnet.produceTo(sealBlock(2, protocol) + 5)
  await validator.idle()
  expect(problems()).toEqual([])
})

/** Limits blocks to one sample while `work` runs. */
async function withShortBlocks(work: () => Promise<void>): Promise<void> {
  const { blockSamples } = LIMITS
  Object.assign(LIMITS, { blockSamples: 1 })
  await work().finally(() => Object.assign(LIMITS, { blockSamples }))
}

// A block's hash is the hash of its header, so a block signed twice has one hash, and chance
// determines which signature a reader gets first.
test.each(['incoming', 'bucket'])(
  'audits a lane whose blocks are signed twice, with the second signatures in the folder %s',
  async (place) => {
    const subnet = new ReadingSubnet([100, 100, 100])
    const [own, , liar] = subnet.voters as [Account, Account, Account]
    const twin = accountOf(3, 1)
    const state = await subnet.begin()
    const folder = await mkdtemp(join(root, 'twice-'))
    const incoming = directoryBucket(join(folder, 'incoming', `${state.epoch}-${liar.hotkey}`))
    const bucket = directoryBucket(join(folder, 'bucket'))
    const { chain, buckets } = subnet
    const store = directoryBucket(folder)
    let left = 1
    const read: typeof bucket.read = async (...args) => {
      if (left-- > 0) throw new Error('status 503')
      return bucket.read(...args)
    }
    const places = { folder, store, bucket: { ...bucket, read } }
    const setup = { chain, account: own, ...places } as unknown as Setup
    await withShortBlocks(async () => {
      await subnet.sealAll(state, [liar])
      for (const [path, bytes] of buckets.at(liar.hotkey).files) {
        const [hash] = /[0-9a-f]{64}/.exec(path) ?? []
        if (hash === undefined) continue
        const lines = Buffer.from(bytes).toString().split('\n')
        const signature = Buffer.from(twin.sign(Buffer.from(hash, 'hex'))).toString('hex')
        lines[1] = JSON.stringify({ signature })
        const other = { incoming, bucket }[place]
        await other?.write(path, Buffer.from(lines.join('\n')))
      }
      const [audit] = await listAudits(chain, state)
      if (audit === undefined) throw new Error('no sealed lane')
      const reader = new BucketReader({ openBucket: buckets.open })
      const deadline = new AbortController().signal
      const copy: AuditOptions['publish'] = (blocks, from) => publish(blocks, from, bucket)
      const reading = { reader, deadline, publish: copy }
      expect(await auditLane(setup, state, audit, reading)).toMatchObject({ ok: true })
    })
  },
)

test('blames no bucket when the validator’s own connection is slow, and decides', async () => {
  const rules = { ...network, protocol: withQuota(protocol, 4) }
  const subnet = new ReadingSubnet([100, 100, 100, 100], 0, rules)
  const [own, ...others] = subnet.voters as [Account, ...Account[]]
  const { clock } = subnet.buckets
  const { validator, events } = await follow(root, subnet, own, { clock })
  const state = await subnet.begin(others)
  // The validator gets no head until the epoch is over. Each lane has eight blocks, and reading a
  // block takes 29 seconds.
  subnet.hear = () => {}
  await withShortBlocks(async () => {
    await subnet.sealAll(state, others)
    await subnet.attestAll(state, others)
    for (const { hotkey } of others) subnet.buckets.at(hotkey).ms = 29_000
    await subnet.end(state)
    validator.onHead(await subnet.chain.produce(0))
    await clock.pass(validator.idle())
  })
  expect(validator.state?.epoch).toBe(3)
  expect(events.filter(({ type }) => type === 'slow')).toEqual([])
})
