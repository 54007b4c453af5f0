import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { account } from '@affine/chain'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readKey } from '../src/commands/options.ts'

let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'keys-'))
})
afterAll(() => rm(root, { recursive: true }))

async function fileOf(content: string | Uint8Array): Promise<string> {
  const file = join(root, 'key')
  await writeFile(file, content)
  return file
}

it.each(['', '\n', '  \r\n'])('a key is 64 hex digits, with whatever blanks after them: %j', async (end) => {
  const key = await readKey(await fileOf(`${'c0ffee11'.repeat(8)}${end}`))
  expect(key.hotkey).toBe(account(Buffer.from('c0ffee11'.repeat(8), 'hex')).hotkey)
})

it.each([
  ['nothing', ''],
  ['too little', 'c0ffee11'.repeat(8).slice(1)],
  ['too much', `${'c0ffee11'.repeat(8)}0`],
  ['upper case', 'C0FFEE11'.repeat(8)],
  ['a prefix', `0x${'c0ffee11'.repeat(8)}`],
  ['two lines', `${'c0ffee11'.repeat(8)}\n${'c0ffee11'.repeat(8)}`],
  ['a phrase', 'bottom drive obey lake curtain smoke basket coffee race lonely fit walk'],
  ['raw bytes', new Uint8Array(32).fill(0xc0)],
])('a file with %s is refused, by its name alone', async (_, content) => {
  const file = await fileOf(content)
  const message = `${file} expected to hold a key: 64 lower-case hex digits`
  await expect(readKey(file)).rejects.toThrow(new RangeError(message))
})
