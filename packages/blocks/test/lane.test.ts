import { make } from '@affine/envs'
import { afterAll, describe, expect, it, vi } from 'vitest'
import {
  createBlockReader,
  type Episode,
  LIMITS,
  NO_BLOCK,
  type Scope,
  verifyLane,
} from '../src/index.ts'
import { CONTENDER, episodesOf, honestSamples, laneOf, plansOf, scopeOf, toy } from './lane.ts'

const scope = scopeOf(toy.hotkey, { 'tictactoe@0.1.0': 140, 'mult8@0.1.0': 70 })
/** A lane of one full block. */
const full = scopeOf(toy.hotkey, { 'mult8@0.1.0': 100 })
const { blockSamples } = LIMITS
Object.assign(LIMITS, { blockSamples: 200 })
afterAll(() => Object.assign(LIMITS, { blockSamples }))
const samples = await honestSamples(scope)
const lane = laneOf(toy, scope, plansOf(samples))

/** Returns the tally of an environment, counted in another way than `verifyLane` does. */
function tallyOf(env: string) {
  const rewardsOf = (side: 'champion' | 'contender') =>
    episodesOf(samples, side).flatMap((sample) => (sample.env === env ? [sample.reward] : []))
  const [champion, contender] = [rewardsOf('champion'), rewardsOf('contender')]
  const leads = contender.map((reward, i) => reward - champion[i]!)
  const lowest = make(env).spec.lowestReward
  const sumPoints = (rewards: number[]) => rewards.reduce((sum, reward) => sum + reward - lowest, 0)
  // The rewards of tictactoe span two units, those of mult8 one.
  const unit = env.startsWith('mult8') ? 1_000_000 : 500_000
  return [
    leads.filter((lead) => lead > 0).length,
    leads.filter((lead) => lead < 0).length,
    unit * sumPoints(contender),
    unit * sumPoints(champion),
  ]
}

describe('a valid lane', () => {
  it('results in its tallies, and its blocks with the head first', async () => {
    const envs = ['tictactoe@0.1.0', 'mult8@0.1.0'].map((env) => [env, tallyOf(env)])
    const tallies = { [CONTENDER]: Object.fromEntries(envs) }
    const blocks = [...lane.bytes.keys()].reverse()
    expect(await verifyLane(lane)).toEqual({ ok: true, value: { tallies, blocks } })
    expect(tallyOf('tictactoe@0.1.0')[0]).toBeGreaterThan(0)
    const silent = episodesOf(samples, 'contender').filter(({ fault }) => fault === 'no-reply')
    expect(silent.length).toBeGreaterThan(0)
    const isCut = ({ messages }: Episode) =>
      messages.some(({ content }) => /^\[4456 bytes, [0-9a-f]{64}\]\nx{544}$/.test(content))
    expect(episodesOf(samples, 'champion').some(isCut)).toBe(true)
  })

  it('may end in a block that has the secret and no samples, after a full block', async () => {
    const plans = [...plansOf(await honestSamples(full)), { lines: [] }]
    expect((await verifyLane(laneOf(toy, full, plans))).ok).toBe(true)
  })

  it('may be empty if no samples are due', async () => {
    const idle = { ...scope, quotas: {} }
    const read = await verifyLane(laneOf(toy, idle, [{ lines: [] }]))
    expect(read).toMatchObject({ ok: true, value: { tallies: {} } })
  })

  it('may follow the head of an earlier lane', async () => {
    const next = laneOf(toy, scope, plansOf(samples), lane.head)
    expect((await verifyLane(next)).ok).toBe(true)
  })
})

describe('reading a lane', () => {
  it('requests one block after another, from the head back, each of at most 8 MiB', async () => {
    const hashes: string[] = []
    const read = async (path: string, limit: number) => {
      expect(limit).toBe(LIMITS.blockBytes)
      const hash = path.slice('v1/blocks/'.length, -'.jsonl'.length)
      hashes.push(hash)
      return lane.bytes.get(hash) ?? null
    }
    await verifyLane({ ...lane, read: createBlockReader({ read }, toy.verify) })
    expect(hashes).toEqual([...lane.bytes.keys()].reverse())
  })

  it('stops once there are more samples than in the plan', async () => {
    const all = await honestSamples(full)
    const hostile = laneOf(toy, full, plansOf([...all, ...all, ...all]))
    const read = vi.fn(hostile.read)
    const detail = expect.stringMatching(/line 2, .*: more samples than in the plan$/)
    const code = 'MISSING_INDEX'
    expect(await verifyLane({ ...hostile, read })).toEqual({ ok: false, code, detail })
    expect(read).toHaveBeenCalledTimes(2)
  })
})

it('rejects a scope with an environment that is not registered or has no specHash', async () => {
  const verifyWith = (change: Partial<Scope>) =>
    verifyLane({ ...lane, scope: { ...scope, ...change } })
  const env = 'chess@1.0.0'
  const unknown = { quotas: { [CONTENDER]: { [env]: 60 } }, specHashes: { [env]: NO_BLOCK } }
  await expect(verifyWith(unknown)).rejects.toThrow(/^"\w+" expected/)
  await expect(verifyWith({ specHashes: {} })).rejects.toThrow(
    /^"specHashes" expected one for \w+@0.1.0, got none$/,
  )
})
