import type { EpochFacts, LaneFacts } from '../epoch-facts.ts'
import { type HotkeyFormatter, listed, percent, shortenHotkey } from '../text.ts'
import { describeStanding, formatEnv } from './duel-text.ts'

/** Describes the subnet by the titles of its environments. */
export function describeSubnet(titles: readonly string[]): string {
  const all = listed(titles) || 'nothing yet'
  return `AI models compete at ${all}: a model that clearly beats the champion takes its throne.`
}

/** Formats consecutive epochs, as in "epochs 3 to 5". */
export const formatEpochs = (first: number, last: number): string =>
  first === last ? `epoch ${last}` : `epochs ${first} to ${last}`

export const summariseEpoch = (
  facts: EpochFacts,
  nameOf: HotkeyFormatter = shortenHotkey,
): string => `epoch ${facts.epoch}  ${describeEvents(facts, nameOf).join('; ')}`

function describeEvents(facts: EpochFacts, nameOf: HotkeyFormatter): readonly string[] {
  const { epoch, lacking, seated, duels, nextChampion, nextDuels, ratio, nextRatio } = facts
  const isQuorumMissed = lacking !== undefined && lacking.missing.length > 0
  const texts = isQuorumMissed ? ['frozen, as too few validators attested'] : []
  if (seated) texts.push(`${nameOf(seated.hotkey)} takes the empty throne, without a duel`)
  texts.push(...duels.map((duel, i) => describeProgress(duel, nameOf, i === 0)))
  const holder = nameOf(nextChampion?.hotkey ?? '')
  const next = nextDuels.filter(({ start }) => start > epoch)
  const rivals = listed(next.map(({ contender }) => nameOf(contender.hotkey)))
  if (next.length === 1) texts.push(`${rivals} challenges ${holder}: its duel begins`)
  if (next.length > 1) texts.push(`${rivals} challenge ${holder}: their duels begin`)
  if (texts.length > 0) return texts
  if (nextChampion === undefined) return ['the throne is empty, and no one contends']
  const [now, then] = [percent(ratio), percent(nextRatio)]
  const share = now === then ? `stays at ${now}` : `falls from ${now} to ${then}`
  return [`no one challenges ${holder}; the ratio to beat ${share}`]
}

/**
 * Describes a duel at the end of an epoch. Only the first duel on a line has the word
 * "environments".
 */
function describeProgress(
  duel: EpochFacts['duels'][number],
  nameOf: HotkeyFormatter,
  isFirst: boolean,
): string {
  const { contender, wins, counted, end, standing } = duel
  const name = `${end === 'crowned' ? '★ ' : ''}${nameOf(contender.hotkey)}`
  const won = isFirst
    ? `${name} has won ${wins} of ${counted} environments`
    : `${name} ${wins} of ${counted}`
  if (end === 'crowned') return `${won}, and takes the throne`
  if (end === 'passed') return `${won}, but another contender is better`
  if (end !== undefined) return `${won}, and is out`
  return standing === 'won' ? `${won}, and waits` : won
}

/**
 * Formats a decided epoch on several lines: summary, champion, duels with environments, lanes, and
 * missing attestations.
 */
export function formatEpoch(facts: EpochFacts, nameOf: HotkeyFormatter = shortenHotkey): string {
  const { champion, duels, ratio, nextRatio, lanes, frozen } = facts
  const holder = champion && nameOf(champion.hotkey)
  const otherwise = frozen ? 'frozen' : 'open'
  const lanesText = lanes
    .map((lane) => `${nameOf(lane.validator)} ${formatLane(lane)} (trust ${percent(lane.trust)})`)
    .join(' · ')
  const ends = [...explainFrozen(facts, nameOf), ...warnOtherState(facts, nameOf)]
  const [now, then] = [percent(ratio), percent(nextRatio)]
  const becomes = now === then ? '' : `, and becomes ${then}`
  return [
    summariseEpoch(facts, nameOf),
    `  ${holder ?? 'no one'} held the throne. The ratio to beat was ${now}${becomes}`,
    ...duels.flatMap((duel) => [
      `  ${nameOf(duel.contender.hotkey)} ${describeStanding(duel)}; ` +
        `${duel.needed} of ${duel.counted} environments are needed`,
      // A won duel is not evaluated any more.
      ...duel.analyses.map((analysis) => {
        const verdict = duel.verdicts[analysis.env] ?? 'no verdict'
        return formatEnv(analysis, duel.standing === 'won' ? verdict : otherwise)
      }),
    ]),
    ...(lanesText === '' ? [] : [`  lanes: ${lanesText}`]),
    ...ends.map((text) => `  ${text}`),
  ].join('\n')
}

/** Formats whether a lane counts, or the reason why not. */
export function formatLane({ sealed, attested, accepted, setAside }: LaneFacts): string {
  if (setAside.length > 0) return `✘ suspect in ${setAside.map(({ env }) => env).join(', ')}`
  if (accepted) return '✔'
  if (!sealed) return '✘ not on chain in time'
  return attested ? '✘ void' : '✘ too few attestations'
}

/** Names the attestations that a frozen epoch lacked. Empty for any other epoch. Protocol §8.3. */
export function explainFrozen(
  { lacking, others }: Pick<EpochFacts, 'lacking' | 'others'>,
  nameOf: HotkeyFormatter = shortenHotkey,
): readonly string[] {
  if (lacking === undefined) return []
  const { attestedPpm, missing } = lacking
  if (missing.length === 0)
    return ['Frozen: there are no voters yet. A validator becomes one by attesting an epoch']
  const attested = `${percent(attestedPpm)} of the voters' weight attested`
  const head = `Frozen: ${attested}; two thirds are required. Missing:`
  const texts = missing.map(({ hotkey, weightPpm, droppedIn }) => {
    const what = `${percent(weightPpm)} of the weight`
    const help = others?.hotkeys.includes(hotkey)
      ? 'it attests another state: compare its release with this one'
      : 'its operator should start it (af doctor shows the problem)'
    return `${nameOf(hotkey)}: ${what}; ${help}; it stops counting after epoch ${droppedIn}`
  })
  return [head, ...texts]
}

export function warnOtherState(
  { others, epoch }: Pick<EpochFacts, 'others' | 'epoch'>,
  nameOf: HotkeyFormatter = shortenHotkey,
): readonly string[] {
  if (others === undefined) return []
  const { hotkeys, weightPpm } = others
  const names = hotkeys.map((hotkey) => nameOf(hotkey)).join(', ')
  const who = `${names} (${percent(weightPpm)} of the weight)`
  const why = 'Releases with other constants can cause this: compare their release with this one'
  return [`! another state of epoch ${epoch} is attested by ${who}. ${why}`]
}
