import { afterAll, expect, test } from 'vitest'
import { blockPath } from '../../packages/blocks/src/index.ts'
import { LOCAL_NETWORK } from '../../packages/settlement/src/index.ts'
import { killAll } from '../processes.ts'
import { afVerify } from './af-verify.ts'
import { OneLiar } from './one-liar.ts'
import { accountOf, hotkeys, type Written } from './reading-subnet.ts'

// Protocol §5.2: to sign twice for one epoch and height is its signer's fault, not that of whoever
// mirrors either.
afterAll(killAll)

/** All seal and attest; some buckets have another copy of the liar's block. */
async function mirroring(copyOf?: (subnet: OneLiar, sealed: Written) => Promise<Uint8Array>) {
  const subnet = new OneLiar(LOCAL_NETWORK)
  const { liar, honest } = subnet
  const state = await subnet.state
  await subnet.sealAll(state)
  const sealed = await subnet.lane(liar, state)
  const copy = (await copyOf?.(subnet, sealed)) ?? sealed.bytes
  for (const { hotkey } of honest.slice(1))
    subnet.buckets.at(hotkey).files.set(blockPath(sealed.hash), copy)
  for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
  return { subnet, ...(await subnet.outcome()) }
}

test('a header signed twice, with two contents: its signer is named, once, and nothing else changes', async () => {
  const { subnet, ...outcome } = await mirroring(async (subnet) => {
    const other = await subnet.lane(subnet.liar, await subnet.state, { header: { time: 1 } })
    return other.bytes
  })
  const { flaws, root, champion } = await mirroring()
  expect(flaws).toEqual([])
  expect(outcome).toMatchObject({ flaws: [`SIGNED_TWICE ${subnet.liar.hotkey}`], root, champion })
  const { flaws: named, ...verified } = await afVerify(subnet)
  expect(named).toEqual(outcome.flaws)
  expect(verified).toEqual({ code: 1, root, champion })
})

test('one header with two signatures: the same', async () => {
  const outcome = await mirroring(async (subnet) => {
    const liarAgain = accountOf(subnet.voters.length, 1)
    expect(liarAgain.hotkey).toBe(subnet.liar.hotkey)
    return (await subnet.lane(liarAgain, await subnet.state)).bytes
  })
  expect(outcome.flaws).toEqual([`SIGNED_TWICE ${outcome.subnet.liar.hotkey}`])
})

test('a mirror cannot make a second signature out of the first: it is the mirror that is named', async () => {
  const text = new TextDecoder()
  for (const at of [0, 63, 64, 126, 127]) {
    const { flaws, subnet } = await mirroring(async (_, { bytes }) => {
      const start = text.decode(bytes).indexOf('"signature":"') + '"signature":"'.length
      const altered = bytes.slice()
      const digit = Number.parseInt(text.decode(bytes.slice(start + at, start + at + 1)), 16)
      altered[start + at] = (digit ^ 8).toString(16).charCodeAt(0)
      return altered
    })
    const mirrors = hotkeys(subnet.honest.slice(1))
    expect(flaws).toEqual(mirrors.map((hotkey) => `WRONG_SIGNATURE ${hotkey}`))
  }
})
