import type { Commitment } from '@affine/chain'
import { encodeBitmap, type State, stateRoot } from '@affine/duel'
import { expect, test } from 'vitest'
import { hotkeys, network, ReadingSubnet } from '../../../test/attacks/reading-subnet.ts'

const { protocol } = network
const NEXT = 'cd'.repeat(32)

/** The flaws of an epoch that everybody sealed; the voters attest that, the last one this. */
async function flawsWith(attestation: (state: State) => Partial<Commitment>) {
  const subnet = new ReadingSubnet([10, 10, 10, 1], 1)
  const state = await subnet.begin()
  await subnet.sealAll(state)
  const { voters } = subnet
  for (const voter of voters.slice(0, 3)) await subnet.attest(voter, state, hotkeys(voters))
  const [liar] = voters.slice(-1)
  if (liar === undefined) throw new Error('no liar')
  await subnet.commit(liar, {
    kind: 'attest',
    epoch: state.epoch,
    bitmap: encodeBitmap(state.voters, new Set(hotkeys(voters))),
    next: NEXT,
    stateRoot: stateRoot(state),
    url: liar.hotkey,
    ...attestation(state),
  } as Commitment)
  await subnet.end(state)
  const epochs = await subnet.recompute()
  return { flaws: epochs.flatMap(({ flaws }) => flaws), liar: liar.hotkey, state }
}

test('who attests what is so is not named', async () => {
  expect((await flawsWith(() => ({}))).flaws).toEqual([])
})

test('who attests another root is named, with both', async () => {
  const { flaws, liar, state } = await flawsWith(() => ({ stateRoot: NEXT }))
  const advice = 'if others say so too, compare the releases that you and they run'
  const detail = `expected ${stateRoot(state)}, got ${NEXT}; ${advice}`
  expect(flaws).toEqual([{ epoch: 2, validator: liar, code: 'WRONG_ROOT_ATTESTED', detail }])
})

test('who attests another epoch is not asked about this one', async () => {
  const { flaws } = await flawsWith(() => ({ epoch: 3, stateRoot: NEXT }))
  expect(flaws).toEqual([])
})

test('a bit past the last voter stands for a lane that was never sealed', async () => {
  for (const bit of [4, 127]) {
    const { flaws, liar } = await flawsWith(() => {
      const bitmap = new Uint8Array(protocol.validatorsMost / 8)
      bitmap[bit >> 3] = 1 << (bit & 7)
      return { bitmap }
    })
    const detail = 'it attested a lane that was never sealed'
    expect(flaws).toEqual([{ epoch: 2, validator: liar, code: 'NEVER_SEALED', detail }])
  }
})
