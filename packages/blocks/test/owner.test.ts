import { utf8ToBytes } from '@noble/hashes/utils.js'
import { expect, it } from 'vitest'
import { LIMITS, readOwner, writeOwner } from '../src/index.ts'
import { keyOf } from './keys.ts'

// Protocol §6.4
const { hotkey, sign, verify } = keyOf(1)
const owner = { hotkey, address: 'https://b.example' }

it('is read as it was written, whatever the address is', async () => {
  for (const address of [owner.address, hotkey, '', '\u001b"\\é', 'a'.repeat(128)]) {
    const bytes = await writeOwner({ hotkey, address }, sign)
    expect(bytes.length).toBeLessThanOrEqual(LIMITS.ownerBytes)
    expect(readOwner(bytes, verify)).toEqual({ ok: true, value: { hotkey, address } })
  }
})

it('is refused with any byte changed', async () => {
  const bytes = await writeOwner(owner, sign)
  for (let at = 0; at < bytes.length; at++) {
    const changed = bytes.map((byte, i) => (i === at ? byte ^ 1 : byte))
    expect(readOwner(changed, verify)).toMatchObject({ ok: false, code: 'BAD_OWNER' })
  }
})

it.each([
  ['another hotkey’s', async () => writeOwner({ ...owner, hotkey: keyOf(2).hotkey }, sign)],
  ['of nothing', async () => new Uint8Array()],
  ['with a line feed', async () => Uint8Array.of(...(await writeOwner(owner, sign)), 10)],
  ['too large', async () => new Uint8Array(LIMITS.ownerBytes + 1).fill(32)],
  ['null', async () => utf8ToBytes('null')],
  ['without a signature', async () => utf8ToBytes(JSON.stringify(owner))],
])('is refused %s', async (_, make) => {
  expect(readOwner(await make(), verify)).toMatchObject({ ok: false, code: 'BAD_OWNER' })
})
