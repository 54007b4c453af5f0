import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Account, Chain, Snapshot, UidWeights } from '@affine/chain'
import type { State } from '@affine/duel'
import { make } from '@affine/envs'
import { type Recomputed, snapshotBlock } from '@affine/settlement'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withQuota } from '../../../packages/duel/test/subnet.ts'
import {
  FIRST_DUEL,
  flawsOf,
  hotkeys,
  network,
  ReadingSubnet,
} from '../../../test/attacks/reading-subnet.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { verify } from '../src/verify.ts'

const root = testFolder('reported')

let subnet: ReadingSubnet
let [first, second, third, light]: Account[] = []
let all: readonly string[]
/** Governs the epoch of the duel. */
let state: State
/** The uids of the subnet's owner, the champion and its contender. */
const [OWNER, CHAMPION, CONTENDER] = [0, 4, 5]

/** Four voters have sealed whole lanes, which all of their buckets hold. */
beforeEach(async () => {
  subnet = new ReadingSubnet([100, 100, 100, 10])
  ;[first, second, third, light] = subnet.voters
  all = hotkeys(subnet.voters)
  state = await subnet.begin()
  await subnet.sealAll(state)
})
afterEach(() => {
  process.exitCode = undefined
})

/** Every voter attests all lanes, but for what of them is said. */
async function attestBut(lacking: Readonly<Record<string, readonly string[]>>): Promise<void> {
  for (const voter of subnet.voters) {
    const without = lacking[voter.hotkey] ?? []
    const whole = all.filter((hotkey) => !without.includes(hotkey))
    await subnet.attest(voter, state, whole)
  }
}

async function setWeights(rows: readonly (readonly [Account | undefined, UidWeights])[]) {
  const sent = rows.map(([who, weights]) => who && subnet.chain.setWeights(who, weights))
  await subnet.chain.produce(0)
  await Promise.all(sent)
}

const warningsOf = (epochs: readonly Recomputed[]): readonly string[] =>
  epochs.flatMap(({ warnings }) =>
    warnings.map(({ epoch, validator, code, detail }) => `${epoch} ${code} ${validator} ${detail}`),
  )

/** What the verifier says, as text and as records. */
async function told(): Promise<{ text: string; records: readonly Record<string, unknown>[] }> {
  for (const { hotkey } of subnet.voters) {
    for (const [path, bytes] of subnet.buckets.at(hotkey).files) {
      const file = join(root, hotkey, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, bytes)
    }
  }
  const said: [string, object][] = []
  const screen = { line: (...line: [string, object]) => said.push(line), status: () => {} }
  const { chain } = subnet
  await verify({ chain, network }, { base: root, jobs: 1 }, screen)
  return {
    text: said.map(([text]) => text).join('\n'),
    records: said.map(([, record]) => ({ ...record })),
  }
}

it('bits withheld from whole lanes that others attest are reported, and are no failure', async () => {
  const lacking = [first, light].flatMap((voter) => voter?.hotkey ?? []).sort()
  await attestBut({ [third?.hotkey ?? '']: lacking })
  await subnet.end(state)
  const epochs = await subnet.recompute()
  const detail = `2 whole lanes that others attest: ${lacking.join(', ')}`
  expect(flawsOf(epochs)).toEqual([])
  expect(warningsOf(epochs)).toEqual([`${FIRST_DUEL} BITS_WITHHELD ${third?.hotkey} ${detail}`])
  expect(warningsOf(await subnet.recompute({ compare: false }))).toEqual([])

  const { text, records } = await told()
  expect(text).toContain(`  ! epoch ${FIRST_DUEL}, ${third?.hotkey}: BITS_WITHHELD: 2 whole lanes`)
  expect(text).toMatch(
    /\n1 line with "!" above: reported, but not a failure\.\nEverything holds\.$/,
  )
  const warning = {
    type: 'warning',
    epoch: FIRST_DUEL,
    validator: third?.hotkey,
    code: 'BITS_WITHHELD',
  }
  expect(records).toContainEqual({ ...warning, detail })
  expect(records.at(-1)).toMatchObject({ type: 'end', warnings: 1, flaws: 0 })
  expect(process.exitCode).toBeUndefined()
})

it('a lane that its validator alone attests is withheld by nobody', async () => {
  const hotkey = light?.hotkey ?? ''
  const lacking = Object.fromEntries(
    [first, second, third].map((voter) => [voter?.hotkey, [hotkey]]),
  )
  await attestBut(lacking)
  await subnet.end(state)
  expect(warningsOf(await subnet.recompute())).toEqual([])
})

it('a lane that cannot be read is withheld by nobody', async () => {
  subnet = new ReadingSubnet([100, 100, 100, 10])
  const [a, b, c, d] = subnet.voters as [Account, Account, Account, Account]
  state = await subnet.begin()
  await subnet.seal(d, state, 'ab'.repeat(32))
  await subnet.sealAll(state, [a, b, c])
  await attestBut({ [b.hotkey]: [d.hotkey], [c.hotkey]: [d.hotkey] })
  await subnet.end(state)
  const epochs = await subnet.recompute()
  expect(epochs[FIRST_DUEL]?.report.lanes[d.hotkey]?.attesters).toEqual([a.hotkey, d.hotkey].sort())
  expect(warningsOf(epochs)).toEqual([])
})

it('weights that are not all the champion’s are reported, and are no failure', async () => {
  await attestBut({})
  await setWeights([
    [first, [[CHAMPION, 7]]],
    [
      second,
      [
        [CHAMPION, 65_535],
        [CONTENDER, 1],
      ],
    ],
    [third, [[CONTENDER, 65_535]]],
  ])
  await subnet.end(state)
  const epochs = await subnet.recompute()
  expect(flawsOf(epochs)).toEqual([])
  const wrong = `expected all to uid ${CHAMPION}, got`
  expect(warningsOf(epochs)).toEqual([
    `${FIRST_DUEL} OTHER_WEIGHTS ${second?.hotkey} ${wrong} 65535 to uid ${CHAMPION}, 1 to uid ${CONTENDER}`,
    `${FIRST_DUEL} OTHER_WEIGHTS ${third?.hotkey} ${wrong} 65535 to uid ${CONTENDER}`,
  ])
  expect(warningsOf(await subnet.recompute({ compare: false }))).toEqual([])

  const { text, records } = await told()
  expect(text).toContain(`  ! epoch ${FIRST_DUEL}, ${second?.hotkey}: OTHER_WEIGHTS: ${wrong}`)
  expect(text).toContain(
    `\nweights    1 of 3 validators give uid ${CHAMPION} all their weight; ${second?.hotkey}: `,
  )
  expect(records.at(-1)).toMatchObject({
    votes: {
      uid: CHAMPION,
      validators: 3,
      agreeing: 1,
      others: [{ validator: second?.hotkey }, {}],
    },
    warnings: 2,
    flaws: 0,
  })
  expect(process.exitCode).toBeUndefined()
})

/** The chain, if these were its snapshots. */
function changedSnapshots(
  { chain }: ReadingSubnet,
  change: (snapshot: Snapshot, block: number) => Snapshot,
): Chain {
  const snapshot = async (block: number) => change(await chain.snapshot(block), block)
  const own = (name: string | symbol) => {
    const value = Reflect.get(chain, name)
    return typeof value === 'function' ? value.bind(chain) : value
  }
  return new Proxy(chain, { get: (_, name) => (name === 'snapshot' ? snapshot : own(name)) })
}

it('where the champion is not registered, all weight should go to the subnet’s owner', async () => {
  await attestBut({})
  await setWeights([
    [first, [[OWNER, 1]]],
    [second, [[CHAMPION, 1]]],
  ])
  await subnet.end(state)
  const seen = async (change: (snapshot: Snapshot, block: number) => Partial<Snapshot>) => {
    const chain = changedSnapshots(subnet, (all, block) => ({ ...all, ...change(all, block) }))
    const [epoch] = await subnet.recompute({ chain, from: state })
    if (epoch === undefined) throw new Error('no epoch')
    return epoch
  }
  const others = ({ neurons }: Snapshot) => neurons.filter(({ uid }) => uid !== CHAMPION)
  const without = await seen((snapshot) => ({ neurons: others(snapshot) }))
  const wrong = `expected all to uid ${OWNER}, got 65535 to uid ${CHAMPION}`
  expect(warningsOf([without])).toEqual([`${FIRST_DUEL} OTHER_WEIGHTS ${second?.hotkey} ${wrong}`])
  expect(without.votes).toMatchObject({ uid: OWNER, validators: 2, agreeing: 1 })

  // The snapshot before the epoch counts, though the champion is registered again in its middle.
  const before = snapshotBlock(state.epoch, network.protocol)
  const again = await seen((snapshot, block) =>
    block > before ? {} : { neurons: others(snapshot) },
  )
  expect(again.votes).toEqual(without.votes)

  const ownerless = await seen((snapshot) => ({ neurons: others(snapshot), owner: undefined }))
  expect(ownerless.votes).toBeUndefined()
})

it('weights that wait for their reveal may be those of a champion before', async () => {
  // Of so many challenges the contender solves each, and the champion none.
  const rules = { ...network, protocol: withQuota(network.protocol, 64) }
  subnet = new ReadingSubnet([100, 100, 100, 10], 0, rules)
  ;[first] = subnet.voters
  state = await subnet.begin()
  await setWeights([[first, [[CHAMPION, 1]]]])
  const last = await subnet.play(state, {
    reply: ({ role, env, prompt }) =>
      role === 'contender' ? make(env).spec.solve(prompt) : undefined,
  })
  expect(last.state.champion).toEqual(state.duels[0]?.contender)
  await subnet.end(last.state)
  const wrong = `expected all to uid ${CONTENDER}, got 65535 to uid ${CHAMPION}`
  const warning = `${last.state.epoch} OTHER_WEIGHTS ${first?.hotkey} ${wrong}`
  expect(warningsOf(await subnet.recompute())).toEqual([warning])
  const chain = changedSnapshots(subnet, (snapshot) => ({ ...snapshot, revealPeriod: 1 }))
  const waiting = await subnet.recompute({ chain })
  expect(warningsOf(waiting)).toEqual([])
  const votes = { uid: CONTENDER, validators: 1, agreeing: 0, others: [] }
  expect(waiting.at(-1)?.votes).toEqual(votes)
})
