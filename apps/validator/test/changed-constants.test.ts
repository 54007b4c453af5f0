import { join } from 'node:path'
import { type Protocol, type State, stateRoot } from '@affine/duel'
import { LOCAL_NETWORK, type Network, type RecomputedEpoch, recompute } from '@affine/settlement'
import { createBucketOpener } from '@affine/settlement/node'
import { expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { runSubnet } from '../src/commands/demo/subnet.ts'
import { selectParticipants, TWO_MINERS } from './played-subnet.ts'

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

/** Recomputes every epoch of a played subnet. */
async function epochsIn(chain: Parameters<typeof recompute>[0]['chain'], buckets: string) {
  const epochs: RecomputedEpoch[] = []
  for await (const epoch of recompute({ chain, network, openBucket: createBucketOpener(buckets) }))
    epochs.push(epoch)
  return epochs
}

it('restarts a pending duel after a change of constants, and continues without flaws', async () => {
  const out = testFolder('changed-constants')
  const participants = selectParticipants(TWO_MINERS)
  const three = { ...participants, validators: participants.validators.slice(0, 3) }
  const { chain, state } = await runSubnet(three, out, () => {}, network)
  const epochs = await epochsIn(chain, join(out, 'buckets'))
  const last = epochs.at(-1)?.state as State
  expect(stateRoot(last)).toBe(stateRoot(state))
  expect(epochs.flatMap(({ flaws }) => flaws)).toEqual([])
  const starts = epochs.map(({ state }) => [
    state.epoch,
    state.protocol.minTrials,
    state.duels[0]?.start,
  ])
  expect(starts.slice(1, 5)).toEqual([
    [2, protocol.cap, 2],
    [3, protocol.cap, 2],
    [4, protocol.minTrials, 4],
    [5, protocol.minTrials, 4],
  ])
  expect(last.champion?.model).toContain('stronger')
})
