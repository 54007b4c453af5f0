import type { EpochFacts, LaneFacts, ThroneChange } from '../epoch-facts.ts'
import { type NameOf, percent, shortHotkey } from '../text.ts'
import { duelText, envText, turnIn } from './duel-text.ts'

/** What competes at what, and for what; `titles` are the environments' own. */
export function subnetText(titles: readonly string[]): string {
  const others = titles.slice(0, -1)
  const last = titles.at(-1) ?? 'nothing yet'
  const all = others.length === 0 ? last : `${others.join(', ')} and ${last}`
  return `AI models compete at ${all}: one that clearly beats the champion takes its throne.`
}

/** Epochs in a row, as in "epochs 3 to 5". */
export const epochsText = (first: number, last: number): string =>
  first === last ? `epoch ${last}` : `epochs ${first} to ${last}`

/**
 * One decided epoch as lines for people: the duel, its environments, its lanes, the result.
 */
export function epochText(facts: EpochFacts, nameOf: NameOf = shortHotkey): string {
  const { epoch, champion, duel, ratio, envs, lanes, frozen } = facts
  const holder = champion ? nameOf(champion.hotkey) : 'nobody'
  const rival = duel
    ? `${nameOf(duel.contender.hotkey)} contends, ${turnIn(duel)}`
    : 'nobody contends'
  const otherwise = frozen ? 'frozen' : 'go on'
  const lanesText = lanes
    .map((lane) => `${nameOf(lane.validator)} ${laneText(lane)} (trust ${percent(lane.trust)})`)
    .join(' · ')
  const ends = [
    ...throneTexts(facts, nameOf),
    ...quorumTexts(facts, nameOf),
    ...otherStateTexts(facts, nameOf),
  ]
  return [
    `epoch ${epoch}  ${holder} holds the throne, ${rival}. Ratio to beat ${percent(ratio)}`,
    ...envs.map((env) => envText(env, otherwise)),
    ...(lanesText === '' ? [] : [`  lanes: ${lanesText}`]),
    ...ends.map((text) => `  ${text}`),
  ].join('\n')
}

/** Whether a lane counts, and if not, why; and how many of its games were never begun. */
export function laneText({ sealed, attested, accepted, setAside, unbegun }: LaneFacts): string {
  const games = unbegun === 1 ? ', 1 game never begun' : `, ${unbegun} games never begun`
  const more = unbegun === 0 ? '' : games
  if (setAside.length > 0) return `✘ set aside in ${setAside.join(', ')}${more}`
  if (accepted) return `✔${more}`
  if (!sealed) return '✘ not sealed'
  return attested ? '✘ not whole' : '✘ not attested by enough'
}

/** What happened to the throne at an epoch's end, and why, in sentences. Protocol §8.11. */
export function throneTexts(
  { throne, duel, heir, nextRatio }: EpochFacts,
  nameOf: NameOf,
): readonly string[] {
  const holder = nameOf(duel?.champion.hotkey ?? '')
  const rival = nameOf(duel?.contender.hotkey ?? '')
  const why = duel ? `: ${duelText(duel)}` : ''
  const becomes = `The ratio to beat becomes ${percent(nextRatio)}`
  const fails = duel?.end?.by === 'freezing' ? 'waits again' : 'fails'
  const texts: Readonly<Record<ThroneChange, string>> = {
    dethroned: `★ ${rival} dethrones ${holder}${why}. ${becomes}`,
    inherited: `${rival} gets the throne, because ${holder} has left. ${becomes}`,
    held: `${holder} keeps the throne, ${rival} ${fails}${why}`,
    'failed-and-left': `${rival} fails, but ${holder} has left`,
    'won-and-left': `${rival} wins, but has left`,
    crowned: `${nameOf(heir?.hotkey ?? '')} takes the empty throne without a duel. ${becomes}`,
    emptied: 'the throne is empty',
  }
  return throne.map((change) => texts[change])
}

/** Why no duel starts though a miner waits: which validators are missing. Protocol §8.1. */
export function quorumTexts(
  { lacking, others }: Pick<EpochFacts, 'lacking' | 'others'>,
  nameOf: NameOf = shortHotkey,
): readonly string[] {
  if (lacking === undefined) return []
  const { attestedPpm, missing } = lacking
  if (missing.length === 0)
    return ['No duel starts: nobody votes yet. A validator votes once it has attested an epoch']
  const attested = `${percent(attestedPpm, Math.floor)} of the active validators' weight attested`
  const head = `No duel starts: ${attested}, and it takes two thirds. These are missing:`
  const texts = missing.map(({ hotkey, stake, weightPpm, lastEpoch, droppedIn }) => {
    const last = lastEpoch === undefined ? 'never attested' : `last attested epoch ${lastEpoch}`
    const what = `${percent(weightPpm, Math.floor)} of the weight, a stake of ${stake} rao`
    const help = others?.hotkeys.includes(hotkey)
      ? 'it attests another state: compare its release with this one'
      : 'its operator should start it (af doctor says what it lacks)'
    const until = `it is not waited for after epoch ${droppedIn}`
    return `${nameOf(hotkey)}: ${what}; it ${last}; ${help}; ${until}`
  })
  return [head, ...texts]
}

/** What it means that others attest another state. Protocol §9.2. */
export function otherStateTexts(
  { others, epoch }: Pick<EpochFacts, 'others' | 'epoch'>,
  nameOf: NameOf = shortHotkey,
): readonly string[] {
  if (others === undefined) return []
  const { hotkeys, weightPpm } = others
  const names = hotkeys.map((hotkey) => nameOf(hotkey)).join(', ')
  const who = `${names} (${percent(weightPpm, Math.floor)} of the weight)`
  const why = 'Releases with other constants come to that: compare theirs with yours'
  return [`! another state of epoch ${epoch} is attested by ${who}. ${why}`]
}
