import type { SubnetStatus } from '../subnet-status.ts'
import { percent, printable } from '../text.ts'
import { countsText, envText } from './environment.ts'
import { otherStateTexts, quorumTexts } from './quorum.ts'

/** The state of a subnet as lines for people; a table of its validators follows. */
export function statusTexts(status: SubnetStatus): readonly string[] {
  const { state, waiting, report } = status
  const { champion, duel, ratio } = state
  const bar = percent(duel?.ratio ?? ratio)
  return [
    `block     ${blockText(status)}`,
    `champion  ${printable(champion?.hotkey ?? 'nobody')}; ratio to beat ${bar}`,
    `contender ${contenderText(status)}`,
    ...envTexts(status),
    `queue     ${waiting.length} waiting, next ${printable(waiting[0] ?? 'nobody')}`,
    ...quorumTexts(status.lacking, printable),
    ...otherStateTexts(status.others, state.epoch - 1, printable),
    `lanes     ${report === undefined ? 'none: no epoch is over' : `of epoch ${state.epoch - 1}`}`,
  ]
}

/** The numbers behind a verdict are known in its epoch only, because weights change later. */
const envTexts = ({ looks, state: { duel } }: SubnetStatus): readonly string[] =>
  looks.map((look) => {
    const verdict = duel?.verdicts[look.env]
    return verdict === undefined ? envText(look, 'go on') : countsText(look, verdict)
  })

function blockText({ epochBlocks, block, place, due }: SubnetStatus): string {
  const where = `${block}, ${place.offset} of ${epochBlocks} in epoch ${place.epoch}`
  return `${where}; ${due.what} count for ${due.blocks} more, about ${due.seconds} s`
}

function contenderText({ state: { duel, epoch, protocol } }: SubnetStatus): string {
  if (duel === undefined) return 'nobody'
  const turn = `epoch ${epoch - duel.start + 1} of at most ${protocol.duelEpochs}`
  return `${printable(duel.contender.hotkey)}, ${turn}`
}
