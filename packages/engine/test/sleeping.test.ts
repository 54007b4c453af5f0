import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BLOCK_MS } from '@affine/chain'
import { PROTOCOL } from '@affine/duel'
import { make } from '@affine/envs'
import type { MinerAgent } from '@affine/miners'
import { expect, it } from 'vitest'
import { pairsOf } from '../../../packages/blocks/test/play-plan.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { samplingBlocks } from '../src/own-lane.ts'
import { type LaneTask, sampleLane } from '../src/sampling.ts'
import { FakeTime } from './fake-time.ts'
import { CHAMPION, CONTENDER, SECRET, scopeOf } from './lanes.ts'

const HEX = 'hex@0.1.0'
const MULT8 = 'mult8@0.1.0'
const CLOCK_MS = make(HEX).spec.game?.clockMs ?? 0
const SAMPLING_MS = samplingBlocks(PROTOCOL) * BLOCK_MS
const root = testFolder('sleeping')
let count = 0

const replying: MinerAgent = ([prompt]) => {
  const { content = '' } = prompt ?? {}
  return { content: make(content.startsWith('Hex') ? HEX : MULT8).spec.solve(content) }
}

/** Resolves once it is `atMs`, and with false if `until` aborts before. */
const wait = (atMs: number, time: FakeTime, until?: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    time.after(Math.max(0, atMs - time.now()), () => resolve(true))
    until?.addEventListener('abort', () => resolve(false))
  })

/**
 * The games of a lane on the main network, of which one player answers nothing before `wakesMs`:
 * when each began, and whether that player forfeited it.
 */
async function gamesWith(sleeper: string, wakesMs: number, games: number) {
  const time = new FakeTime()
  const began: number[] = []
  const forfeits: number[] = []
  const agent: LaneTask['agent'] = ({ hotkey }, replyMs) => {
    const beganMs = time.now()
    if (hotkey === sleeper && replyMs === make(HEX).spec.replyMs) began.push(beganMs)
    return async (messages, call) => {
      const isAwake = hotkey !== sleeper || time.now() >= wakesMs
      if (isAwake || (await wait(wakesMs, time, call?.end))) return replying(messages)
      forfeits.push(beganMs)
      return { fault: 'no-reply' }
    }
  }
  const { templates } = PROTOCOL
  const miner = (hotkey: string) => ({
    ...{ hotkey, model: 'm', revision: 'main', chute: '', templates },
  })
  let isOver = false
  const sampling = sampleLane({
    scope: scopeOf({ [HEX]: games, [MULT8]: 8 }),
    miners: [miner(CHAMPION), miner(CONTENDER)],
    secret: SECRET,
    journalPath: join(root, `${count++}.jsonl`),
    agent,
    deadline: new AbortController().signal,
    gamesTime: { ...time, samplingMs: SAMPLING_MS, endsAt: SAMPLING_MS },
    now: () => 0,
    on: () => {},
  }).finally(() => {
    isOver = true
  })
  while (!isOver) {
    await nextTurn()
    if (time.isAwaited) time.pass(1000)
  }
  const { samples } = await sampling
  const hexes = pairsOf(samples).filter(({ env }) => env === HEX)
  const isBegun = ({ champion, contender }: (typeof hexes)[number]): boolean =>
    champion.messages.length + contender.messages.length > 0
  return { began, forfeits, begun: hexes.filter(isBegun).length }
}

const sleepers = { champion: CHAMPION, contender: CONTENDER }
const cases = (['champion', 'contender'] as const).flatMap((role) =>
  [8, 64].flatMap((games) => [2, 5, 8, 20].map((minutes) => [role, minutes, games] as const)),
)

it.each(cases)(
  'a %s that sleeps for %i minutes forfeits only those of %i games that began a clock before',
  async (role, minutes, games) => {
    const wakesMs = minutes * 60_000
    const { began, forfeits, begun } = await gamesWith(sleepers[role], wakesMs, games)
    expect(begun).toBe(games)
    expect(forfeits).toEqual(began.filter((beganMs) => beganMs < wakesMs - CLOCK_MS))
    // All turns of 64 games take 1,600 s, and two clocks 600 s more: they start after 392 s.
    expect(forfeits.length).toBe(minutes === 20 && games === 64 ? 22 : 0)
  },
)

it('games of players that are awake start at once', async () => {
  const { began } = await gamesWith(CONTENDER, 0, 64)
  expect(Math.max(...began)).toBe(0)
})
