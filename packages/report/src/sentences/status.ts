import type { EnvStatus, SubnetStatus } from '../subnet-status.ts'
import { percent, printable } from '../text.ts'
import { envText } from './environment.ts'
import { otherStateTexts, quorumTexts } from './quorum.ts'

/** The state of a subnet as lines for people; a table of its validators follows. */
export function statusTexts(status: SubnetStatus): readonly string[] {
  const { state, ratio, waiting, last } = status
  const { champion } = state
  return [
    `block     ${blockText(status)}`,
    `champion  ${printable(champion?.hotkey ?? 'nobody')}; ratio to beat ${percent(ratio)}`,
    `contender ${contenderText(status)}`,
    ...status.envs.map(statusText),
    `queue     ${waiting.length} waiting, next ${printable(waiting[0] ?? 'nobody')}`,
    ...quorumTexts(last?.lacking, printable),
    ...otherStateTexts(last?.others, state.epoch - 1, printable),
    `lanes     ${last === undefined ? 'none: no epoch is over' : `of epoch ${state.epoch - 1}`}`,
  ]
}

/** What was counted for a verdict is known in its epoch only, because weights change later. */
const statusText = ({ env, verdict, look }: EnvStatus): string =>
  look === undefined ? `  ${env.padEnd(16)} → ${verdict}` : envText(look, 'go on')

function blockText({ epochBlocks, block, place, due }: SubnetStatus): string {
  const where = `${block}, ${place.offset} of ${epochBlocks} in epoch ${place.epoch}`
  return `${where}; ${due.what} count for ${due.blocks} more, about ${due.seconds} s`
}

function contenderText({ duel }: SubnetStatus): string {
  if (duel === undefined) return 'nobody'
  const turn = `epoch ${duel.epochIndex} of at most ${duel.duelEpochs}`
  return `${printable(duel.contender.hotkey)}, ${turn}`
}
