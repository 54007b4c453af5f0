import { type Duel, isFrozenOut, neededWins, type State, type Winner, winnerBy } from '@affine/duel'
import type { Settled } from '@affine/settlement'

/** A duel in one of its epochs. */
export interface DuelTurn extends Pick<Duel, 'id' | 'champion' | 'contender' | 'start' | 'ratio'> {
  /** The number of this epoch in the duel, from 1, and the most epochs that a duel has. */
  readonly epochIndex: number
  readonly duelEpochs: number
}

/** The duel of the epoch that a state governs; undefined without one. */
export function duelTurn({ duel, epoch, protocol }: State): DuelTurn | undefined {
  if (duel === undefined) return undefined
  const { id, champion, contender, start, ratio } = duel
  const { duelEpochs } = protocol
  return { id, champion, contender, start, ratio, epochIndex: epoch - start + 1, duelEpochs }
}

/** A duel as it stands after one of its epochs. */
export interface DuelFacts extends DuelTurn, Pick<Duel, 'verdicts'> {
  readonly envs: readonly string[]
  /** How many environments the contender has won; how many are not even; how many it needs. */
  readonly wins: number
  readonly counted: number
  readonly needed: number
  /**
   * How it ended: its winner, and the cause: its environments, its length, its frozen epochs, or
   * that one left. Undefined while it goes on.
   */
  readonly end:
    | {
        readonly winner: Winner
        readonly by: 'environments' | 'length' | 'freezing' | 'leaving'
      }
    | undefined
}

/** The duel of an epoch as it stands after it; undefined without one. */
export function duelFacts(settled: Settled): DuelFacts | undefined {
  const { before, report } = settled
  const turn = duelTurn(before)
  if (turn === undefined) return undefined
  const { protocol } = before
  const { verdicts } = report
  const envs = Object.keys(protocol.envs)
  const counted = envs.filter((env) => verdicts[env] !== 'even')
  return {
    ...turn,
    verdicts,
    envs,
    wins: counted.filter((env) => verdicts[env] === 'win').length,
    counted: counted.length,
    needed: neededWins(counted.length, protocol.margin),
    end: duelEnd(settled),
  }
}

/** Protocol §8.3, §8.7, §8.11. */
function duelEnd({ before, report }: Settled): DuelFacts['end'] {
  const { epoch, duel, protocol } = before
  const { outcome: winner, verdicts } = report
  if (duel === undefined || winner === undefined) return undefined
  if (winnerBy(verdicts, protocol) === winner) return { winner, by: 'environments' }
  if (isFrozenOut({ frozen: duel.frozen + (report.frozen ? 1 : 0) }))
    return { winner, by: 'freezing' }
  const isOver = epoch - duel.start + 1 >= protocol.duelEpochs
  return { winner, by: isOver && winner === 'champion' ? 'length' : 'leaving' }
}
