import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nodeFetch } from '@affine/node/http'
import { AwsClient } from 'aws4fetch'
import { afterAll, beforeAll, describe, vi } from 'vitest'
import { s3Bucket } from '../src/s3-bucket.ts'
import { bucketSuite } from './bucket-suite.ts'
import { patient } from './patient.ts'

const keys = { accessKeyId: 'ID-of-the-key', secretAccessKey: 'the+secret/half=of-the-key' }
const hasCeph = (() => {
  try {
    for (const program of ['ceph', 'ceph-mon', 'ceph-osd', 'radosgw'])
      execFileSync(program, ['--version'])
    return true
  } catch {
    return false
  }
})()

/** Debian's packages ceph-mon, ceph-osd and radosgw: a cluster of one machine, stored in memory. */
describe.skipIf(!hasCeph)("Ceph's radosgw", () => {
  const processes: ChildProcess[] = []
  let root: string
  let endpoint: string

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'ceph-'))
    for (const folder of ['mon', 'osd', 'rgw']) await mkdir(join(root, folder))
    const monitor = `v2:127.0.0.1:${await freePort()}`
    const fsid = randomUUID()
    endpoint = `http://127.0.0.1:${await freePort()}`
    const settings = {
      fsid,
      'mon host': `${monitor}/0`,
      keyring: join(root, 'keyring'),
      'mon data': join(root, 'mon'),
      'osd data': join(root, 'osd'),
      'rgw data': join(root, 'rgw'),
      'log file': '',
      'mon cluster log file': '',
      'admin socket': '',
      'pid file': '',
      'run dir': root,
      'osd objectstore': 'memstore',
      'osd crush chooseleaf type': 0,
      'mon max pg per osd': 1000,
      'osd pool default size': 1,
      'osd pool default min size': 1,
      'mon allow pool size one': true,
      'osd pool default pg num': 1,
      'osd pool default pg autoscale mode': 'off',
      'rgw frontends': `beast endpoint=${endpoint.replace('http://', '')}`,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
    await writeFile(join(root, 'ceph.conf'), ['[global]', ...lines, ''].join('\n'))
    const env = { ...process.env, CEPH_CONF: join(root, 'ceph.conf') }
    const run = (program: string, ...words: string[]) =>
      promisify(execFile)(program, words, { cwd: root, env, timeout: 600_000 })
    const start = (program: string, ...words: string[]) =>
      processes.push(spawn(program, ['-f', ...words], { cwd: root, env, stdio: 'ignore' }))

    const able = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *']
    for (const name of ['mon.', 'client.admin', 'osd.0']) {
      const create = name === 'mon.' ? ['-C'] : []
      await run('ceph-authtool', 'keyring', ...create, '--gen-key', '-n', name, ...able)
    }
    await run('monmaptool', '--create', '--addv', 'a', `[${monitor}]`, '--fsid', fsid, 'monmap')
    await run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', 'monmap', '--keyring', 'keyring')
    start('ceph-mon', '-i', 'a')
    const uuid = randomUUID()
    await run('ceph', 'osd', 'new', uuid)
    await run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', uuid)
    start('ceph-osd', '-i', '0')
    start('radosgw', '-n', 'client.admin')
    await vi.waitFor(() => fetch(endpoint), { timeout: 600_000, interval: 250 })
    const { accessKeyId, secretAccessKey } = keys
    const pair = ['--access-key', accessKeyId, '--secret-key', secretAccessKey]
    await run('radosgw-admin', 'user', 'create', '--uid', 'test', '--display-name', 'test', ...pair)
    const client = new AwsClient({ ...keys, service: 's3', region: 'auto' })
    const made = await client.fetch(`${endpoint}/affine`, { method: 'PUT' })
    if (!made.ok) throw new Error(await made.text())
  })

  afterAll(async () => {
    for (const child of processes.reverse()) {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    if (root) await rm(root, { recursive: true })
  })

  bucketSuite('s3Bucket', async () => {
    const place = { endpoint, bucket: 'affine', ...keys }
    return { bucket: patient(s3Bucket({ ...place, now: Date.now, fetch: nodeFetch })) }
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
