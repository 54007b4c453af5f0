import type { Miner } from '@affine/duel'
import type { EpochFacts } from '../epoch-facts.ts'
import { type NameOf, percent, shortHotkey } from '../text.ts'
import { envText } from './environment.ts'
import { laneText } from './lanes.ts'
import { otherStateTexts, quorumTexts } from './quorum.ts'
import { throneTexts } from './throne.ts'

/**
 * One decided epoch as lines for people: the duel, its environments, its lanes, the result.
 */
export function epochText(facts: EpochFacts, nameOf: NameOf = shortHotkey): string {
  const { envs, lanes, frozen } = facts
  const otherwise = frozen ? 'frozen' : 'go on'
  const lines = [titleOf(facts, nameOf), ...envs.map((env) => envText(env, otherwise))]
  const texts = lanes.map(
    (lane) => `${nameOf(lane.validator)} ${laneText(lane)} (trust ${percent(lane.trust)})`,
  )
  if (texts.length > 0) lines.push(`  lanes: ${texts.join(' · ')}`)
  const ends = [
    ...throneTexts(facts, nameOf),
    ...quorumTexts(facts.lacking, nameOf),
    ...otherStateTexts(facts.others, facts.epoch, nameOf),
  ]
  return [...lines, ...ends.map((text) => `  ${text}`)].join('\n')
}

/** Epochs in a row, as in "epochs 3 to 5". */
export const epochsText = (first: number, last: number): string =>
  first === last ? `epoch ${last}` : `epochs ${first} to ${last}`

function titleOf({ epoch, champion, duel, ratio }: EpochFacts, nameOf: NameOf): string {
  const named = (miner: Miner | undefined): string => (miner ? nameOf(miner.hotkey) : 'nobody')
  const turn = duel ? `, epoch ${duel.epochIndex} of at most ${duel.duelEpochs}` : ''
  const seats = `${named(champion)} holds the throne, ${named(duel?.contender)} contends${turn}`
  return `epoch ${epoch}  ${seats}. Ratio to beat ${percent(ratio)}`
}
