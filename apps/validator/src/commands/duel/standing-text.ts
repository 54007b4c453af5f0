import { PROTOCOL } from '@affine/duel'
import type { DuelStanding, SoloDuel } from '@affine/miners'
import { boundsOf, drawInterval, share } from '@affine/report'

/** The counts of each environment, one a line. */
export function standingText({ envs }: DuelStanding, { ratioPpm }: SoloDuel): readonly string[] {
  const zSquaredPpm = BigInt(PROTOCOL.zSquaredPpm)
  return Object.entries(envs).map(([env, { wins, losses, ties, trials, verdict }]) => {
    const counts = `${wins} won, ${losses} lost, ${ties} tied`
    const drawn = drawInterval(boundsOf({ wins, trials, zSquaredPpm }), ratioPpm)
    return `${env} ${counts} ${drawn} vs ${share(ratioPpm)} → ${verdict}`
  })
}

/** Who wins. */
export function endingOf({ outcome }: DuelStanding): string {
  if (outcome === 'contender') return 'The contender takes the throne.'
  return 'The champion holds.'
}

/** How far a duel got that was interrupted. */
export function stoppedText({ length }: readonly unknown[]): string {
  return `stopped after ${length} challenges: to continue, repeat the command`
}
