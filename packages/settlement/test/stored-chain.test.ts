import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { account, LocalChain } from '@affine/chain'
import { AppendOnlyFile } from '@affine/node/disk'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { LOCAL_NETWORK } from '../src/index.ts'
import {
  chainPath,
  hasChain,
  isUnused,
  openFolder,
  openKey,
  StoredChain,
} from '../src/node/local-folder.ts'
import { key } from './draft.ts'

describe('the folder of a local network', () => {
  const folder = testFolder('local-folder')

  it('is unused until a first start has written more than keys and a lock', async () => {
    const place = join(folder, 'unused')
    await mkdir(join(place, 'keys'), { recursive: true })
    for (const name of ['lock', '.gitignore', '.a.b.tmp']) await writeFile(join(place, name), '')
    expect(await isUnused(place)).toBe(true)
    for (const name of ['a.tmp', '.tmp.a', 'locked', 'my-keys', 'chain.json']) {
      const used = join(folder, `used-${name}`)
      await mkdir(join(used, 'keys'), { recursive: true })
      await writeFile(join(used, name), '')
      expect([name, await isUnused(used)]).toEqual([name, false])
    }
  })

  it('has a new chain whose neurons have the keys of the folder, and continues it later', async () => {
    expect(hasChain(folder)).toBe(false)
    const start = { validators: 2, miners: 1, maxUids: 9 }
    let begun: string
    {
      await using net = await openFolder(folder, start)
      const { chain } = net
      const { tempo, maxUids, neurons } = await chain.snapshot(0)
      const { epochBlocks } = LOCAL_NETWORK.protocol
      expect([chain.netuid, tempo, maxUids]).toEqual([120, epochBlocks, 9])
      const names = ['validator-1', 'validator-2', 'miner-1']
      const keys = await Promise.all(names.map((name) => openKey(folder, name)))
      const secret = await readFile(join(folder, 'keys', 'miner-1'), 'utf8')
      expect(keys[2]?.hotkey).toBe(account(Buffer.from(secret, 'hex')).hotkey)
      const want = keys.map(({ hotkey }, i) => [hotkey, names[i] !== 'miner-1'])
      expect(neurons.map(({ hotkey, permit }) => [hotkey, permit]).sort()).toEqual(want.sort())
      expect(await chain.time(0)).toBeGreaterThan(0)
      await net.produce(Date.now())
      begun = chain.export()
    }
    expect(hasChain(folder)).toBe(true)
    await using again = await openFolder(folder, { ...start, miners: 3 })
    expect(again.chain.export()).toBe(begun)
    expect(await readFile(chainPath(folder), 'utf8')).toBe(begun)
  })

  it('serves a block only once it is on disk', async () => {
    const place = join(folder, 'served')
    await using net = await openFolder(place, { validators: 1, miners: 0, maxUids: 1 })
    const { append } = AppendOnlyFile.prototype
    const slow = vi.spyOn(AppendOnlyFile.prototype, 'append')
    slow.mockImplementation(async function (this: AppendOnlyFile, text) {
      await sleep(50)
      await append.call(this, text)
    })
    onTestFinished(() => slow.mockRestore())
    const produced = net.produce(Date.now())
    const headers = { 'content-type': 'application/json' }
    const request = { method: 'POST', headers, body: '{"log":1}' }
    const response = await net.serve(new Request('http://127.0.0.1', request))
    const [, block = 'none'] = (await response.text()).trim().split('\n')
    expect(await readFile(chainPath(place), 'utf8')).toContain(block)
    await produced
  })
})

const path = testFolder('stored-chain')
it('resumes a chain’s file that was cut at any byte after its last complete block', async () => {
  const chain = LocalChain.create({ netuid: 1, random: () => new Uint8Array(32), time: 1 })
  const stored = await StoredChain.begin(chain, join(path, 'chain.json'))
  const texts = [chain.export()]
  for (const time of [2, 3]) {
    const call = chain.commit(key, [Uint8Array.of(1)]).catch(() => {})
    await stored.produce(time)
    await call
    texts.push(chain.export())
  }
  await stored[Symbol.asyncDispose]()
  const [first = '', second = '', third = ''] = texts
  const file = join(path, 'chain.json')
  expect(await readFile(file, 'utf8')).toBe(third)
  const torn = async (text: string, want: string) => {
    await writeFile(file, text)
    await using again = await StoredChain.resume(file)
    expect(again.chain.export()).toBe(want)
    expect(await readFile(file, 'utf8')).toBe(want)
  }
  for (let end = first.length; end < third.length; end++) {
    const whole = [third, second, first].find(({ length }) => end >= length)
    await torn(third.slice(0, end), whole ?? '')
  }
  await torn(`${third}${'\0'.repeat(600)}`, third)
  await expect(torn(third.slice(0, first.length - 9), '')).rejects.toThrow('was altered')
})
