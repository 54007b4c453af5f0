import { pcg64 } from '@affine/prng'
import { type RecordedMessage, record } from '../src/episode.ts'
import { make } from '../src/index.ts'
import { drawFrom, type Program } from './draw.ts'
import { HEX_PLAYERS } from './hex-players.ts'
import { type NamePair, type Score, shareText } from './share.ts'

export const SIZES = [7, 9, 11] as const
const { spec } = make('hex@0.1.0')

/** A game: the rows of its board, whether the pair's stronger player won, and its messages. */
interface PlayedGame {
  readonly size: number
  readonly isWon: boolean
  readonly messages: readonly RecordedMessage[]
}

/** Plays two players against each other on the first `perSize` challenges of each board size. */
export function hexMatch([strong, weak]: NamePair, perSize: number): readonly PlayedGame[] {
  const programs = [HEX_PLAYERS[strong], HEX_PLAYERS[weak]] as [Program, Program]
  return SIZES.flatMap((size) =>
    seedsOf(size, perSize).map((seed) => ({ size, ...playHex(programs, seed) })),
  )
}

/** Plays the game of one challenge. Its first draw chooses who moves first. */
function playHex([a, b]: readonly [Program, Program], seed: number): Omit<PlayedGame, 'size'> {
  const draws = { champion: drawFrom(2 * seed), contender: drawFrom(2 * seed + 1) }
  const game = record(spec, seed, 2)
  let turn = game.next()
  while (!turn.done) {
    const { side, messages } = turn.value
    const program = side === 'champion' ? a : b
    turn = game.next({ content: program(messages[0]?.content ?? '', draws[side]) })
  }
  const { champion, contender } = turn.value
  return {
    isWon: champion.reward === spec.highestReward,
    messages: [...champion.messages, ...contender.messages],
  }
}

/** Returns the first `count` seeds whose boards have `size` rows. */
function seedsOf(size: number, count: number): readonly number[] {
  const seeds: number[] = []
  for (let seed = 0; seeds.length < count; seed++) {
    const random = pcg64(seed)
    random.integers(0, 2)
    if (spec.difficulty(spec.game?.initial(random)) === size) seeds.push(seed)
  }
  return seeds
}

export const scoreOf = (games: readonly PlayedGame[]): Score => ({
  wins: games.filter(({ isWon }) => isWon).length,
  trials: games.length,
})

/** Returns a row: the pair, and the stronger player's share of wins by size and in total. */
export function hexRow(pair: NamePair, games: readonly PlayedGame[]): string {
  const bySize = SIZES.map((size) => games.filter((game) => game.size === size))
  const shares = [...bySize, games].map((played) => shareText(scoreOf(played)))
  return `| ${[...pair, ...shares].join(' | ')} |`
}
