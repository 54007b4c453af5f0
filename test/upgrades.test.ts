/*
 * Half of the validators run a release with other constants. Protocol §9.2: they reach different
 * states immediately, and each reports why. packages/duel/test/decide.test.ts tests that all duels
 * start again with new constants, and that attestations of another state do not count.
 */
import { expect, test } from 'vitest'
import { statePath } from '../packages/blocks/src/index.ts'
import type { Protocol } from '../packages/duel/src/index.ts'
import { withQuota } from '../packages/duel/test/subnet.ts'
import { exportStatus, readStatus } from '../packages/report/src/index.ts'
import type { Network } from '../packages/settlement/src/index.ts'
import { FIRST_DUEL, flawsOf, hotkeys, network, ReadingSubnet } from './attacks/reading-subnet.ts'

const { protocol: EARLIER } = network
const LATER: Protocol = withQuota(EARLIER, 4, 4)
/** LATER with another list of templates, which does not restart a duel. */
const RELISTED: Protocol = { ...LATER, templates: 'ab'.repeat(32) as Protocol['templates'] }
const rulesOf = (protocol: Protocol): Network => ({ ...network, protocol })

test('reports the attesters of another release with advice, for readers of each release', async () => {
  const subnet = new ReadingSubnet([100, 100, 100, 100])
  const [early, late] = [subnet.voters.slice(0, 2), subnet.voters.slice(2)]
  const state = await subnet.begin()
  const { epoch } = state
  const later = { ...state, protocol: LATER }
  await subnet.attestAll(state, early, [])
  await subnet.attestAll(later, late, [])
  await subnet.end(state)
  for (const [from, others] of [
    [state, late],
    [later, early],
  ] as const) {
    const rules = rulesOf(from.protocol)
    const [last] = await subnet.recompute({ network: rules, from })
    if (last === undefined) throw new Error('epoch not ended')
    // The buckets of the validators with the other release also serve the state of that release.
    const validators = hotkeys(others)
    const differs = { epoch, code: 'STATE_DIFFERS', detail: statePath(epoch) }
    const detail = expect.stringContaining('compare your')
    expect(last.flaws).toEqual([
      ...[...validators].sort().map((validator) => ({ ...differs, validator })),
      ...validators.map((validator) => ({ epoch, validator, code: 'WRONG_ROOT_ATTESTED', detail })),
    ])
    const status = await readStatus({ chain: subnet.chain, network: rules }, last.state, last)
    const named = { hotkeys: [...validators].sort(), weightPpm: 500_000 }
    expect(exportStatus(status)).toMatchObject({ last: { others: named } })
  }
})

// A history was once recomputed with today's constants from its first epoch on.
test('recomputes a history across a change with the constants of each epoch', async () => {
  // The first change is in the middle of a duel, which starts again.
  const earlier = [
    { until: FIRST_DUEL + 1, protocol: EARLIER },
    { until: FIRST_DUEL + 2, protocol: RELISTED },
  ]
  const rules: Network = { ...rulesOf(LATER), earlier }
  const subnet = new ReadingSubnet([100, 100, 100], 0, rules)
  let state = await subnet.begin()
  for (let left = 3; left > 0; left--) ({ state } = await subnet.play(state, {}))
  const epochs = await subnet.recompute()
  expect(flawsOf(epochs)).toEqual([])
  const duels = epochs.flatMap(({ before }) =>
    before.duels.map(({ start }) => [before.epoch, start, before.protocol]),
  )
  expect(duels).toEqual([
    [FIRST_DUEL, FIRST_DUEL, EARLIER],
    [FIRST_DUEL + 1, FIRST_DUEL + 1, RELISTED],
    [FIRST_DUEL + 2, FIRST_DUEL + 1, LATER],
  ])
  const seen: number[] = []
  await subnet.recompute({ onSample: ({ index }) => seen.push(index), to: FIRST_DUEL })
  expect(Math.max(...seen)).toBe(1)
  const wrong = hotkeys(subnet.voters).map((hotkey) => `WRONG_ROOT_ATTESTED ${hotkey}`)
  const flaws = flawsOf(await subnet.recompute({ network: rulesOf(LATER) }))
  expect(flaws).toEqual(expect.arrayContaining(wrong))
})
