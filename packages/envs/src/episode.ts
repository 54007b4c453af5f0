import { pcg64, type Generator as RandomStream } from '@affine/prng'
import type { EnvSpec, GameRules } from './definition.ts'
import { answerOf } from './text.ts'

/** The two miners of a challenge, as evidence calls them: the two players of a game. */
export type Side = 'champion' | 'contender'
export const SIDES = ['champion', 'contender'] as const

/** What there is of each side. */
export type PerSide<Of> = Readonly<Record<Side, Of>>

/** A turn that is to be taken. */
export interface OpenTurn {
  /** Whose it is. An episode of one player has the champion's turns only, whoever plays it. */
  readonly side: Side
  /** What is seen. */
  readonly observation: unknown
  /** What was earned so far: 0 in a game of two. */
  readonly reward: number
}

export interface EpisodeEnd {
  /** Whose turn was the last one. */
  readonly side: Side
  /** What is seen after it. */
  readonly observation: unknown
  /** What the last turn's side earned in all. */
  readonly reward: number
  /** False where the episode was truncated. */
  readonly terminated: boolean
  /** Did the last turn forfeit, without an action, or with an illegal one? */
  readonly isForfeit: boolean
}

/** An episode from its first turn to its end. Takes an action, or null for none. */
export type EpisodeTurns = Generator<OpenTurn, EpisodeEnd, unknown>

/**
 * The turns of an episode: whatever plays it, replays it or tells of it goes through these. Of a
 * game of two, `players` 1 is the game against the scripted opponent. Protocol §3.1.
 *
 * An action must be in the action space. @throws RangeError for two players where there is one.
 */
export function turnsOf(spec: EnvSpec, seed: number | bigint, players: 1 | 2): EpisodeTurns {
  const random = pcg64(seed)
  return players === 1
    ? playerTurns(spec, random, spec.initial(random))
    : gameTurns(spec, rulesOf(spec), random)
}

/** The turns of one player, from a state that `random` gave. */
export function* playerTurns(spec: EnvSpec, random: RandomStream, first: unknown): EpisodeTurns {
  const side = 'champion'
  let state = first
  let reward = 0
  for (let left = spec.maxSteps - 1; ; left--) {
    const observation = spec.observe(state)
    const action = yield { side, observation, reward }
    const moved = action === null ? null : spec.step(state, action, random)
    if (moved === null) {
      const lost = { reward: spec.lowestReward, terminated: true, isForfeit: true }
      return { side, observation: spec.observe(state), ...lost }
    }
    const { terminated } = moved
    state = moved.state
    reward += moved.reward
    if (terminated || left === 0)
      return { side, observation: spec.observe(state), reward, terminated, isForfeit: false }
  }
}

/** The turns of both players, to the one that decides. */
function* gameTurns(spec: EnvSpec, rules: GameRules, random: RandomStream): EpisodeTurns {
  let side: Side = firstOf(SIDES, random)
  let state = rules.initial(random)
  for (;;) {
    const action = yield { side, observation: spec.observe(state), reward: 0 }
    const moved = action === null ? null : rules.step(state, action, random)
    const isForfeit = moved === null
    if (moved !== null) state = moved.state
    if (isForfeit || moved.won) {
      const reward = isForfeit ? spec.lowestReward : spec.highestReward
      return { side, observation: spec.observe(state), reward, terminated: true, isForfeit }
    }
    side = otherThan(side)
  }
}

/** Which of two players is first, in its players' order: the first draw of a challenge. */
export function firstOf<Player>(players: readonly [Player, Player], random: RandomStream): Player {
  return players[random.integers(0, 2) as 0 | 1]
}

/** What a side of a game earned: one wins, the other loses. */
export function rewardOf(spec: EnvSpec, end: EpisodeEnd, side: Side): number {
  return side === end.side ? end.reward : spec.lowestReward + spec.highestReward - end.reward
}

const otherThan = (side: Side): Side => (side === 'champion' ? 'contender' : 'champion')

/** The rules of an environment of two players. @throws RangeError for one of one player. */
export function rulesOf({ id, game }: EnvSpec): GameRules {
  if (game === undefined) throw new RangeError(`"env" expected one of two players, got ${id}`)
  return game
}

/** The action that the answer of a recorded reply is; null for none in the action space. */
export function actionIn(spec: EnvSpec, reply: string): unknown {
  const action = spec.parse(answerOf(reply))
  return spec.actionSpace.contains(action) ? action : null
}

/** What a game records of a reply: the action in it as the environment writes it, or its answer. */
export function writtenOf(spec: EnvSpec, action: unknown, reply: string): string {
  return action === null ? answerOf(reply) : spec.format(action)
}
