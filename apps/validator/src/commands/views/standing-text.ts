import { align, countsText, envText, printable, share } from '@affine/terminal'
import type { EnvStanding, Standing } from './standing.ts'

/** Where a subnet stands, as lines for people. */
export function standingText(standing: Standing): string {
  const { state, envs, waiting, rows } = standing
  const { champion, duel, ratio } = state
  const bar = share(duel?.ratio ?? ratio)
  return [
    `block     ${blockText(standing)}`,
    `champion  ${printable(champion?.hotkey ?? 'nobody')}; ratio to beat ${bar}`,
    `contender ${contenderText(standing)}`,
    ...envs.map((env) => envStandingText(env, duel?.ratio ?? ratio)),
    `queue     ${waiting.length} waiting, next ${printable(waiting[0] ?? 'nobody')}`,
    `lanes     of epoch ${state.epoch - 1}`,
    ...align(rows),
  ].join('\n')
}

/** What a verdict was of is known in its epoch alone: since then, weights may have changed. */
function envStandingText(standing: EnvStanding, ratioPpm: number): string {
  const { verdict, ...seen } = standing
  if (verdict !== 'go on') return countsText(seen, verdict)
  return envText({ ...seen, given: undefined, otherwise: verdict, ratioPpm })
}

function blockText({ subnet, block, place, due }: Standing): string {
  const { epochBlocks } = subnet.network.protocol
  const where = `${block}, ${place.offset} of ${epochBlocks} in epoch ${place.epoch}`
  return `${where}; ${due.what} count for ${due.blocks} more, about ${due.seconds} s`
}

function contenderText({ state: { duel, epoch, protocol } }: Standing): string {
  if (duel === undefined) return 'nobody'
  const turn = `epoch ${epoch - duel.start + 1} of at most ${protocol.duelEpochs}`
  return `${printable(duel.contender.hotkey)}, ${turn}`
}
