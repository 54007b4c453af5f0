import type { State } from '@affine/duel'
import type { QueueEntry } from '@affine/settlement'
import { programName } from '../../service/program-name.ts'
import type { Result } from './own-duel.ts'

/** What is known of a miner at the chain's head. */
interface Now {
  readonly hotkey: string
  /** Undefined for who is not registered. */
  readonly place: QueueEntry | undefined
  /** Governs the next epoch. */
  readonly state: State
  /** Of the last duel that was read. */
  readonly result: Result | undefined
}

/** What follows for a miner: what to do, the nearest first. */
export function adviceFor(now: Now): readonly string[] {
  return [...placeAdvice(now), ...duelAdvice(now.result)]
}

function placeAdvice({ hotkey, place, state }: Now): readonly string[] {
  const af = programName('af')
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
function duelAdvice(result: Result | undefined): readonly string[] {
  if (result === undefined || result.ending === 'won') return []
  const { challenges, answered, forfeits } = result
  const af = programName('af')
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
