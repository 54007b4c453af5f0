import { type Ending, endingOf, endingTexts, sampleText } from '@affine/terminal'
import type { Lost, Role } from './miner-lanes.ts'
import { deedsOf, type OwnDuel } from './own-duel.ts'

/** A challenge that a miner lost, where it is written, and how it ended for it. */
interface Loss extends Lost {
  readonly epoch: number
  readonly role: Role
  readonly ending: Ending
}

/** Of each environment of a duel the last `most` that were lost. */
export function lossesOf(own: OwnDuel, most: number): readonly Loss[] {
  const { role } = own
  const all = deedsOf(own).flatMap(({ epoch, lost }) =>
    lost.map((each) => ({ epoch, role, ...each })),
  )
  const envs = [...new Set(all.map(({ sample }) => sample.env))].sort()
  return envs
    .flatMap((env) => all.filter(({ sample }) => sample.env === env).slice(-most))
    .map((loss) => ({ ...loss, ending: endingOf(loss.sample, loss.sample[role]) }))
}

/** What was at stake, and how it ended: the last board or product, and what was best. */
export function lossText({ epoch, role, sample, ending }: Loss): string {
  const { env, index, challengeId } = sample
  const rival = role === 'champion' ? 'contender' : 'champion'
  const rewards = `reward ${sample[role].reward}, the ${rival} ${sample[rival].reward}`
  const title = `${env}#${index} in epoch ${epoch}, challenge ${challengeId}: ${rewards}`
  return [title, ...endingLines(ending)].join('\n')
}

/** The same with what both sides said. */
export function fullLossText({ sample, ending, ...place }: Loss): string {
  return [sampleText(sample, place), ...endingLines(ending)].join('\n')
}

const endingLines = (ending: Ending): readonly string[] =>
  endingTexts(ending).map((line) => `  ${line}`)
