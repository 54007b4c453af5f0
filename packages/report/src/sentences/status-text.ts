import type { SubnetStatus } from '../subnet-status.ts'
import { formatStake, formatWait, nameHotkeysBy, percent, printable } from '../text.ts'
import { formatTurn } from './duel-text.ts'
import { formatEpoch, formatLane } from './epoch-text.ts'

type Names = Readonly<Record<string, string>>
type StatusRows = readonly Readonly<Record<string, string | number | undefined>>[]

/** Formats a subnet's state, without its tables. */
export function formatStatus(status: SubnetStatus, names: Names = {}): readonly string[] {
  const { state, facts, duels, block, place, queue } = status
  const waiting = queue.filter((each) => each.place !== undefined)
  const nameOf = nameHotkeysBy(names, printable)
  const { epochBlocks } = state.protocol
  const where = `${block}, ${place.offset} of ${epochBlocks} in epoch ${place.epoch}`
  const champion = nameOf(state.champion?.hotkey ?? 'none')
  const contenders = duels.map((turn) => {
    const verdicts = Object.entries(turn.verdicts).map((verdict) => verdict.join(' '))
    return [nameOf(turn.contender.hotkey), formatTurn(turn), ...verdicts].join(', ')
  })
  return [
    `block     ${where}`,
    `champion  ${champion}; ratio to beat ${percent(state.ratio)}`,
    ...(contenders.length > 0 ? contenders : ['none']).map((text) => `contender ${text}`),
    `queue     ${waiting.length} waiting, next ${nameOf(waiting[0]?.hotkey ?? 'none')}`,
    ...(facts ? [formatEpoch({ ...facts, lanes: [] }, nameHotkeysBy(names))] : []),
  ]
}

export function listValidatorRows({ rows }: SubnetStatus, names: Names = {}): StatusRows {
  const nameOf = nameHotkeysBy(names, printable)
  const shorten = nameHotkeysBy(names)
  return rows.map(({ uid, hotkey, stake, isIdle, lane, trust, committed, weights }) => ({
    uid,
    hotkey: nameOf(hotkey),
    stake: formatStake(stake),
    lane: isIdle ? '✘ idle' : lane && formatLane(lane),
    trust: percent(trust),
    committed: committed && `${committed.kind} ${committed.epoch}`,
    weights: weights.map(({ uid, hotkey }) => `${uid} → ${shorten(hotkey)}`).join(', ') || '-',
  }))
}

export function listQueueRows({ queue }: SubnetStatus, names: Names = {}): StatusRows {
  const nameOf = nameHotkeysBy(names, printable)
  const waiting = queue.filter(({ place }) => place !== undefined)
  return waiting.map(({ place, uid, hotkey, block, turn, eviction, readyBy }) => ({
    ...{ place, uid, hotkey: nameOf(hotkey), block },
    'turn in': turn && formatWait(turn),
    'ready by epoch': readyBy,
    'evicted by registration': eviction?.registrations,
    'immune for blocks': eviction?.immuneBlocks,
  }))
}
