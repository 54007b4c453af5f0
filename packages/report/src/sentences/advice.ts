import type { State } from '@affine/duel'
import type { MinerDuel } from '../miner-duel.ts'
import type { QueueEntry } from '../queue.ts'
import { resultFor } from '../sides.ts'

/** What is known of a miner at the chain's head. */
interface MinerNow {
  readonly hotkey: string
  /** Undefined when it is not registered. */
  readonly place: QueueEntry | undefined
  /** The state that governs the next epoch. */
  readonly state: State
  /** The last duel that was read. */
  readonly last: MinerDuel<unknown> | undefined
  /** How the program is started. */
  readonly af: string
}

/** Advice for a miner, the most urgent first. */
export function adviceFor(now: MinerNow): readonly string[] {
  return [...placeAdvice(now), ...duelAdvice(now)]
}

function placeAdvice({ hotkey, place, state, af }: MinerNow): readonly string[] {
  const practise = `${af} practise <your endpoint> --against --network …`
  const commit = `${af} commit --help, then ${af} doctor`
  if (place === undefined)
    return [`check the spelling: ${af} queue with the same --network lists every hotkey`]
  if (place.place !== undefined) return [`keep the commitment, and practise meanwhile: ${practise}`]
  if (state.champion?.hotkey === hotkey)
    return ['keep the commitment, and keep the endpoint up: a new commitment loses the throne']
  if (state.duel?.contender.hotkey === hotkey)
    return ['keep the commitment, and keep the endpoint up: a new commitment loses the duel']
  if (!Object.hasOwn(state.dueled, hotkey)) return [`commit a model: ${commit}`]
  return [
    `practise until it would win: ${practise}`,
    `commit a new revision, because this one gets no second duel: ${commit}`,
  ]
}

/** What to learn from a duel that was not won. */
function duelAdvice({ last, af }: MinerNow): readonly string[] {
  if (last === undefined || resultFor(last.role, last.duel) === 'won') return []
  const { forfeits } = last.stats
  const silent = forfeits['no-reply'] ?? 0
  const advice: string[] = []
  if (silent > 0)
    advice.push(`${silent} challenges had no reply: ${af} practise shows what the endpoint replies`)
  if (Object.keys(forfeits).some((way) => way !== 'no-reply'))
    advice.push('only the last line of a reply counts: it must be the answer and nothing else')
  return [
    ...advice,
    'a lost challenge shows the last board, and what a perfect or a scripted player replies',
    '--all shows every lost challenge, with the messages of both sides',
  ]
}
