import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChallengePair } from '@affine/blocks'
import { BLOCK_MS } from '@affine/chain'
import { PROTOCOL } from '@affine/duel'
import { make } from '@affine/envs'
import type { MinerAgent } from '@affine/miners'
import { pairsOf } from '../../../packages/blocks/test/play-plan.ts'
import type { Clock } from '../../../test/simulate/clock.ts'
import { samplingBlocks } from '../src/own-lane.ts'
import { type LaneTask, sampleLane } from '../src/sampling.ts'
import { CHAMPION, CONTENDER, SECRET, scopeOf } from './lanes.ts'

const HEX = 'hex@0.1.0'
const MULT8 = 'mult8@0.1.0'
const { spec } = make(HEX)

export const REPLY_MS: number = spec.replyMs
export const CLOCK_MS: number = spec.game?.clockMs ?? 0
export const SAMPLING_MS: number = samplingBlocks(PROTOCOL) * BLOCK_MS

/** Replies as a perfect player; in hex as the scripted player. */
export const replying: MinerAgent = ([prompt]) => {
  const { content = '' } = prompt ?? {}
  return { content: make(content.startsWith('Hex') ? HEX : MULT8).spec.solve(content) }
}

/** Returns the games of a lane with the times of the main network, on a clock that it advances. */
export async function sampleGames(
  games: number,
  agent: LaneTask['agent'],
  { time, journalPath }: Pick<LaneTask, 'journalPath'> & { readonly time: Clock },
): Promise<readonly ChallengePair[]> {
  const { templates } = PROTOCOL
  const hotkeys = [CHAMPION, CONTENDER]
  const phase = new AbortController()
  let isOver = false
  const sampling = sampleLane({
    scope: scopeOf({ [HEX]: games, [MULT8]: 8 }),
    miners: hotkeys.map((hotkey) => ({
      ...{ hotkey, model: 'm', revision: 'main', chute: '', templates },
    })),
    secret: SECRET,
    journalPath,
    agent,
    deadline: phase.signal,
    gamesTime: { ...time, samplingMs: SAMPLING_MS, endsAt: SAMPLING_MS },
    now: () => 0,
    on: () => {},
  }).finally(() => {
    isOver = true
  })
  while (!isOver) {
    await nextTurn()
    if (time.next !== undefined) time.skip(1000)
    if (time.now() >= SAMPLING_MS) phase.abort()
  }
  const { samples } = await sampling
  return pairsOf(samples).filter(({ env }) => env === HEX)
}
