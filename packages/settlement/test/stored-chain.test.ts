import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { account, LocalChain } from '@affine/chain'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { StoredChain } from '../src/node/local-folder.ts'

describe('a chain’s file that ends anywhere', () => {
  const path = testFolder('stored-chain')
  it('is resumed after its last complete block, and is complete again', async () => {
    const chain = LocalChain.create({ netuid: 1, random: () => new Uint8Array(32), time: 1 })
    const stored = await StoredChain.begin(chain, join(path, 'chain.json'))
    const texts = [chain.export()]
    for (const time of [2, 3]) {
      const call = chain
        .commit(account(new Uint8Array(32).fill(1)), [Uint8Array.of(1)])
        .catch(() => {})
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
})
