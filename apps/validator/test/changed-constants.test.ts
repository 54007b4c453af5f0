import { type Protocol, type State, stateRoot } from '@affine/duel'
import { LOCAL_NETWORK, type Network } from '@affine/settlement'
import { expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { runSubnet } from '../src/commands/demo/subnet.ts'
import { PARTICIPANTS, recomputeIn } from './played-subnet.ts'

const { protocol } = LOCAL_NETWORK
/** No duel is won with these constants, so a duel is pending when the constants change. */
const patient: Protocol = { ...protocol, minTrials: protocol.cap }
/** Another list of templates does not restart a duel. */
const relisted: Protocol = { ...patient, templates: 'ab'.repeat(32) as Protocol['templates'] }
const network: Network = {
  ...LOCAL_NETWORK,
  earlier: [
    { until: 3, protocol: patient },
    { until: 4, protocol: relisted },
  ],
}

it('restarts a pending duel after a change of constants, and continues without flaws', async () => {
  const out = testFolder('changed-constants')
  const miners = PARTICIPANTS.miners.filter(({ name }) => name !== 'weaker')
  const validators = PARTICIPANTS.validators.slice(0, 3)
  const { state } = await runSubnet({ ...PARTICIPANTS, validators, miners }, out, () => {}, network)
  const epochs = await recomputeIn(out, { network })
  expect(epochs.flatMap(({ flaws }) => flaws)).toEqual([])
  const startOf = ({ epoch, protocol, duels }: State) => [
    epoch,
    protocol.minTrials,
    duels[0]?.start,
  ]
  const starts = epochs.map(({ state }) => startOf(state))
  expect(starts.slice(1, 5)).toEqual([
    [2, protocol.cap, 2],
    [3, protocol.cap, 2],
    [4, protocol.minTrials, 4],
    [5, protocol.minTrials, 4],
  ])
  const last = epochs.at(-1)?.state
  expect(last && stateRoot(last)).toBe(stateRoot(state))
  expect(last?.champion?.model).toContain('stronger')
})
