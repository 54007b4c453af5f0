import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { directoryBucket } from '@affine/blocks/directory'
import { LocalChain } from '@affine/chain'
import { BucketReader, type CheckBlock, findStart } from '@affine/settlement'
import { openThreads } from '@affine/settlement/node'
import { bucketIn, makeEvidence, networkOf, shortEnvs } from '../../../bench/evidence.ts'
import { type AuditOptions, auditLane, listAudits, publish } from '../src/audit-lane.ts'
import type { Setup } from '../src/setup.ts'

/*
 * Measures how long the verification of 64 lanes of 1,024 samples each blocks a validator's event
 * loop, with threads and without. The event loop also has to follow the chain and ask miners.
 */
const size = { validators: 64, epochs: 1, envs: shortEnvs(512) }
const folder = await mkdtemp(join(tmpdir(), 'affine-loop-'))
await makeEvidence(folder, size)
const chain = LocalChain.import(await readFile(join(folder, 'chain.json'), 'utf8'))
const network = networkOf(size)
const openBucket = bucketIn(folder)
const { from: state } = await findStart({ chain, network, openBucket }, 1)
const audits = await listAudits(chain, state)

async function audit(name: string, check?: CheckBlock): Promise<void> {
  const own = join(folder, name)
  const place = { folder: own, bucket: directoryBucket(own), store: directoryBucket(own) }
  const account = { hotkey: 'own', sign: () => new Uint8Array(64) }
  const setup = { ...place, chain, account } as unknown as Setup
  const reader = new BucketReader({ openBucket, check, readsAtOnce: 2 })
  const deadline = new AbortController().signal
  const copy: AuditOptions['publish'] = (blocks, from) => publish(blocks, from, place.bucket)
  const reading = { reader, deadline, publish: copy }
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const start = performance.now()
  const lanes = await Promise.all(audits.map((each) => auditLane(setup, state, each, reading)))
  const seconds = (performance.now() - start) / 1000
  delay.disable()
  const whole = lanes.filter(({ ok }) => ok).length
  const [most, late] = [delay.max, delay.percentile(99)].map((ns) => (ns / 1e6).toFixed(0))
  const text = `${whole} lanes in ${seconds.toFixed(1)} s, the loop held up for at most ${most} ms`
  console.log(`${name.padEnd(16)} ${text}, 99 % below ${late}`)
}

await audit('without threads')
const threads = Math.max(1, availableParallelism() - 1)
{
  await using pool = openThreads(threads)
  await audit(`${threads} threads`, pool.check)
}
await rm(folder, { recursive: true })
