import { own, tabulate } from './own-keys.ts'

/** Challenges played, and those the contender won and lost. The rest are ties. */
export type Counts = {
  readonly wins: number
  readonly losses: number
  readonly played: number
}

/**
 * What one validator's lane saw in one environment, with the points of each miner, a challenge
 * giving 10^6 at most. Protocol §8.4.
 */
export type Tally = Counts & {
  readonly contenderPoints: number
  readonly championPoints: number
}

/** By hotkey: the lanes of one epoch, or sums of several. */
export type Tallies = Readonly<Record<string, Tally>>

/** Each validator's sum over these epochs, by hotkey ascending. Protocol §8.4. */
export function sumTallies(epochs: readonly Tallies[]): Tallies {
  const hotkeys = [...new Set(epochs.flatMap(Object.keys))].sort()
  return tabulate(hotkeys, (hotkey) =>
    epochs.map((lanes) => own(lanes, hotkey)).reduce<Tally>(addTallies, NOTHING),
  )
}

/** What a lane that played nothing has seen. */
export const NOTHING: Tally = Object.freeze({
  wins: 0,
  losses: 0,
  played: 0,
  contenderPoints: 0,
  championPoints: 0,
})

function addTallies(a: Tally, b: Tally = NOTHING): Tally {
  return {
    wins: a.wins + b.wins,
    losses: a.losses + b.losses,
    played: a.played + b.played,
    contenderPoints: a.contenderPoints + b.contenderPoints,
    championPoints: a.championPoints + b.championPoints,
  }
}

/** A whole lane played the quota: all of it, and not more. Protocol §9.4. */
export function fillsQuota(tally: Tally | undefined = NOTHING, quota: number): boolean {
  const { wins, losses, played, contenderPoints, championPoints } = tally
  const points = [contenderPoints, championPoints]
  const left = points.map((each) => quota * 1_000_000 - each)
  const counts = [wins, losses, quota - wins - losses, ...points, ...left]
  return played === quota && counts.every((count) => Number.isInteger(count) && count >= 0)
}
