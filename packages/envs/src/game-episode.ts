import { type Generator, pcg64 } from '@affine/prng'
import type { EnvSpec, GameRules } from './definition.ts'
import { firstOf } from './game.ts'

/** The two players of a game, as evidence calls them. */
export type GameSide = 'champion' | 'contender'
export const GAME_SIDES = ['champion', 'contender'] as const

/** What there is of each player. */
export type PerSide<Of> = Readonly<Record<GameSide, Of>>

/** The rules of an environment of two players. @throws RangeError for one of one player. */
export function rulesOf({ id, game }: EnvSpec): GameRules {
  if (game === undefined) throw new RangeError(`"env" expected one of two players, got ${id}`)
  return game
}

/** A game from its first state to its end: what plays it is what replays it. Protocol §3.1. */
export class GameEpisode {
  /** Whose turn it is, or was when the game ended. */
  mover: GameSide
  winner: GameSide | undefined
  readonly #spec: EnvSpec
  readonly #rules: GameRules
  readonly #random: Generator
  #state: unknown

  /** @throws RangeError for an environment of one player. */
  constructor(spec: EnvSpec, seed: number | bigint) {
    this.#spec = spec
    this.#rules = rulesOf(spec)
    this.#random = pcg64(seed)
    this.mover = firstOf(GAME_SIDES, this.#random)
    this.#state = this.#rules.initial(this.#random)
  }

  /** What the mover sees, or what is left of the game when it has ended. */
  get observation(): unknown {
    return this.#spec.observe(this.#state)
  }

  /** What the mover is asked. */
  get prompt(): string {
    return this.#spec.prompt(this.observation)
  }

  /** Plays the mover's reply, a line. What is no legal move loses. */
  reply(line: string): void {
    const { actionSpace } = this.#spec
    const action = this.#spec.parse(line)
    const moved = actionSpace.contains(action)
      ? this.#rules.step(this.#state, action, this.#random)
      : null
    if (moved === null) {
      this.forfeit()
      return
    }
    this.#state = moved.state
    if (moved.won) this.winner = this.mover
    else this.mover = otherThan(this.mover)
  }

  /** The mover has no usable reply, and loses. */
  forfeit(): void {
    this.winner = otherThan(this.mover)
  }

  rewardOf(side: GameSide): number {
    return side === this.winner ? this.#spec.highestReward : this.#spec.lowestReward
  }
}

const otherThan = (side: GameSide): GameSide => (side === 'champion' ? 'contender' : 'champion')
