import type { State } from '@affine/duel'
import type { MinerDuel } from '../miner-report.ts'
import type { QueueEntry } from '../queue.ts'
import { resultFor } from '../sides.ts'

/** What is known of a miner at the chain's head. */
interface MinerNow {
  readonly hotkey: string
  /** Undefined when it is not registered. */
  readonly place: QueueEntry | undefined
  /** Governs the next epoch. */
  readonly state: State
  /** The last duel that was read. */
  readonly last: MinerDuel<unknown> | undefined
  /** How the program is started. */
  readonly af: string
}

/** What follows for a miner: what to do, the nearest first. */
export function adviceFor(now: MinerNow): readonly string[] {
  return [...placeAdvice(now), ...duelAdvice(now)]
}

function placeAdvice({ hotkey, place, state, af }: MinerNow): readonly string[] {
  const practise = `${af} practise <your endpoint> --against champion --network …`
  const commit = `${af} commit --help, then ${af} doctor`
  if (place === undefined) return [`see whether it is written right: ${af} queue lists who is here`]
  if (place.place !== undefined) return [`keep the commitment, and practise meanwhile: ${practise}`]
  if (state.champion?.hotkey === hotkey)
    return ['keep the commitment, and the endpoint up: with another one the throne is lost']
  if (state.duel?.contender.hotkey === hotkey)
    return ['keep the commitment, and the endpoint up: with another one the duel is lost']
  if (!Object.hasOwn(state.dueled, hotkey)) return [`commit a model: ${commit}`]
  return [
    `practise until it would win: ${practise}`,
    `commit a new revision, as this one has no second duel: ${commit}`,
  ]
}

/** What a duel that was not won has to teach. */
function duelAdvice({ last, af }: MinerNow): readonly string[] {
  if (last === undefined || resultFor(last.role, last.duel) === 'won') return []
  const { challenges, answered, forfeits } = last.stats
  const silent = challenges - answered
  const advice: string[] = []
  if (silent > 0)
    advice.push(`${silent} challenges had no reply: see what comes, with ${af} practise`)
  if (Object.keys(forfeits).some((way) => way !== 'no-reply'))
    advice.push('a reply counts by its last line: the answer alone, nothing else on it')
  return [
    ...advice,
    'of what was lost, the board is the last one, and "best was" what a perfect player gives',
    'everything that was lost, with what both sides said: --all',
  ]
}
