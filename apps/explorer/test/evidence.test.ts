import { verifySampleProof } from '@affine/blocks'
import { LocalChain, verify } from '@affine/chain'
import { LOCAL } from '@affine/duel'
import { LOCAL_NETWORK, type Recomputed, recompute } from '@affine/settlement'
import { intervalOf } from '@affine/wilson'
import { beforeAll, describe, expect, it } from 'vitest'
import { playedSubnet, THREE_MINERS } from '../../validator/test/played-subnet.ts'
import { evidenceOf, type ProvenLane } from '../src/worker/evidence.ts'
import { flipIn, PARTS, type Part } from '../src/worker/flip.ts'
import { proofSteps } from '../src/worker/proof-steps.ts'
import { type EpochAccount, EpochAccounts } from '../src/worker/reader.ts'
import { SampleIndex } from '../src/worker/sample-index.ts'

const Z = Math.sqrt(7.1289)
/** More than any lane here has. */
const LOCAL_QUOTA = { any: 10_000 }
const epochs: { readonly account: EpochAccount; readonly settled: Recomputed }[] = []
const samples = new SampleIndex()
let laneOf: (epoch: number) => ProvenLane

beforeAll(async () => {
  const { exported, open } = await playedSubnet(THREE_MINERS)
  const chain = LocalChain.import(exported)
  const accounts = new EpochAccounts()
  let epoch = 0
  const settling = recompute({
    chain,
    network: LOCAL_NETWORK,
    openBucket: open,
    onSample: (sample, place) => {
      accounts.add(sample, { ...place, line: samples.add(sample, place, epoch) })
    },
  })
  for await (const settled of settling) {
    epochs.push({ account: accounts.finish(settled), settled })
    epoch = settled.state.epoch
  }
  laneOf = (of) => {
    const { settled } = epochs[of] ?? {}
    if (settled === undefined) throw new Error(`there is no epoch ${of}`)
    const { before: state, lanes } = settled
    const [validator = '', checked] = [...lanes].find(([, lane]) => lane.ok) ?? []
    if (checked === undefined) throw new Error(`epoch ${of} has no lane`)
    const sources = Object.keys(state.due).flatMap((hotkey) => open(hotkey, hotkey) ?? [])
    return { chain, state, validator, checked, sources }
  }
})

describe('the account of an epoch', () => {
  const looks = () =>
    epochs.flatMap(({ account }) => account.envs.map((env) => ({ ...env, ratio: account.ratio })))

  it('has no interval beside counts that it does not follow from', () => {
    expect(looks().length).toBeGreaterThan(4)
    for (const { win, hold, expected, lanes } of looks()) {
      // A win has its rate with the variance of the trials that were to be expected.
      const part = win.trials / expected / 1e6
      const rows = [
        { wins: win.wins * part, trials: win.trials * part, bounds: win.bounds },
        { wins: hold.wins / 1e6, trials: hold.trials / 1e6, bounds: hold.bounds },
        ...lanes.map((lane) => ({ ...lane, trials: lane.wins + lane.losses })),
      ]
      for (const { wins, trials, bounds } of rows.filter(({ trials }) => trials > 0)) {
        const { lower, upper } = intervalOf({ wins, trials, z: Z })
        expect(bounds?.lower).toBeCloseTo(lower * 1e6, -1)
        expect(bounds?.upper).toBeCloseTo(upper * 1e6, -1)
      }
    }
  })

  it('has the interval of a win at the ratio where the sums win, and nowhere else', () => {
    for (const { win, ways, ratio } of looks())
      expect((win.bounds?.lower ?? 0) >= ratio).toBe(ways.includes('sum'))
    expect(looks().some(({ ways }) => ways.includes('sum'))).toBe(true)
  })

  it('has the floor over its bar where that wins, and nowhere else', () => {
    for (const { floor, ways, win } of looks().filter(({ win }) => win.trials >= 10e6))
      expect([win, floor.score >= floor.bar]).toEqual([win, ways.includes('floor')])
  })

  it('says of whose weight the deciding tallies are made, and who was set aside', () => {
    for (const { lanes, win, hold, ratio } of looks()) {
      const sum = (of: (lane: (typeof lanes)[number]) => number): number =>
        lanes.reduce((so, lane) => so + of(lane), 0)
      const kept = lanes.filter(({ isSetAside }) => !isSetAside)
      expect([4, 5]).toContain(kept.length)
      // All five weigh nearly the same at first; a third of five is what is trimmed from each.
      expect(sum(({ keptForWin }) => keptForWin)).toBeGreaterThan(2e6)
      expect(sum(({ keptForHold }) => keptForHold)).toBeLessThan(kept.length * 1e6)
      const leadOf = ({ wins, trials }: typeof win): number => wins - (ratio / 1e6) * trials
      expect(leadOf(win)).toBeLessThanOrEqual(leadOf(hold))
    }
  })

  it('tells what both miners did in the lanes that count', () => {
    for (const { account } of epochs.filter(({ account }) => account.duel?.epochIndex === 1)) {
      const wins = account.envs.reduce((so, env) => so + env.wins, 0)
      const losses = account.envs.reduce((so, env) => so + env.losses, 0)
      const { champion, contender } = account.stats
      expect([contender.won, contender.lost]).toEqual([wins, losses])
      expect([champion.won, champion.lost]).toEqual([losses, wins])
      const first = account.envs.map(({ env }) => LOCAL.envs[env]?.quotaFirst ?? 0)
      const challenges = account.envs.map(({ lanes }, i) => {
        return lanes.filter((lane) => !lane.isSetAside).length * (first[i] ?? 0)
      })
      expect(champion.challenges).toBe(challenges.reduce((so, count) => so + count, 0))
      const losing = account.envs.map((env) => Math.min(20, env.wins))
      expect(champion.losses.length).toBe(losing.reduce((so, count) => so + count, 0))
    }
  })

  it('says how each epoch left the throne', () => {
    const told = epochs.flatMap(({ account }) => account.throne)
    expect(told).toEqual(['crowned', 'held', 'dethroned'])
  })
})

describe('a proof', () => {
  const flipped = async (part: Part) => {
    const at = epochs.findIndex(({ account }) => account.duel !== undefined)
    const lane = laneOf(at)
    const blocks = lane.checked.ok ? lane.checked.value.blocks : []
    const line = { block: blocks.at(-1) ?? '', line: 3 }
    return flipIn(await evidenceOf(line, lane), part)
  }
  const stepsWith = async (part: Part) => proofSteps(await flipped(part))
  it.each(PARTS)('with %s flipped is hex where it was', async (part) => {
    const hex = { secret: 'f0', beacon: 'f0', path: ['f0'], signature: 'f0', sealed: 'f0' }
    const { secret, beacon, path, signature, sealed } = flipIn(
      { ...(await flipped('nothing')), ...hex },
      part,
    )
    for (const text of [secret, beacon, ...path, signature, sealed]) expect(text).toMatch(/^f[01]$/)
  })
  /** The steps of what `verifySampleProof` checks: they need neither the secret nor a replay. */
  const LINKS = [
    'Line → Merkle root',
    'Header → block hash → head',
    'Signature',
    'Head → seal on chain',
  ]

  it('holds step by step, from the secret to the seal', async () => {
    const steps = await stepsWith('nothing')
    expect(steps.filter(({ holds }) => !holds)).toEqual([])
    expect(steps.length).toBe(11)
  })

  it.each(PARTS)(
    'with %s flipped links a line to the head if verifySampleProof says so',
    async (part) => {
      const { sample, index, path, header, signature, links, ...about } = await flipped(part)
      const proof = { sample, index, path, header, signature, links }
      const scope = { ...about, quota: LOCAL_QUOTA }
      const proved = verifySampleProof(proof, { head: about.sealed, scope, verify })
      const steps = (await stepsWith(part)).filter(({ title }) => LINKS.includes(title))
      expect(steps.length).toBe(LINKS.length)
      expect(proved.ok).toBe(steps.every(({ holds }) => holds))
    },
  )

  it.each(PARTS.filter((part) => part !== 'nothing'))(
    'with %s flipped says of a broken step what is wrong, and nothing that it disproves',
    async (part) => {
      const whole = new Map((await stepsWith('nothing')).map(({ title, says }) => [title, says]))
      for (const { title, says, holds } of await stepsWith(part))
        if (holds) expect(says).toBe(whole.get(title))
        else expect(says).not.toBe(whole.get(title))
    },
  )

  it.each([
    ['a reply', ['Replies of the contender → reward', 'Line → Merkle root']],
    ['the secret', ['Secret → commitment', 'Secret and beacon → challenge id']],
    ['the beacon', ['Secret and beacon → challenge id']],
    ['the Merkle path', ['Line → Merkle root']],
    ['the header', ['Signature', 'Head → seal on chain']],
    ['the signature', ['Signature']],
    ['the head on chain', ['Head → seal on chain']],
  ] as const)('with a byte of %s flipped does not hold', async (part, broken) => {
    const steps = await stepsWith(part)
    const failing = steps.filter(({ holds }) => !holds).map(({ title }) => title)
    // A wrong reply may be as wrong as before, and then earns the same.
    if (part === 'a reply') expect(failing).toContain('Line → Merkle root')
    else expect(failing).toEqual(broken)
  })
})
