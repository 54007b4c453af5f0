import type { Side } from '@affine/envs'
import type { DuelFacts, DuelTurn } from '../duel-facts.ts'
import type { Decider, EnvFacts, EnvLaneFacts } from '../env-facts.ts'
import type { Forfeits, MinerStats } from '../miner-stats.ts'
import { drawInterval, percent, share } from '../text.ts'

/** The side of a miner in a duel; undefined if it is not in it. */
export function sideOf(hotkey: string, duel: Pick<DuelFacts, Side>): Side | undefined {
  if (hotkey === duel.champion.hotkey) return 'champion'
  return hotkey === duel.contender.hotkey ? 'contender' : undefined
}

/**
 * The result of a duel so far for one side. A champion that is dethroned by another contender has
 * lost this duel neither way.
 */
export function resultFor(side: Side, { end }: Pick<DuelFacts, 'end'>): 'won' | 'lost' | 'open' {
  if (end === undefined) return 'open'
  return (side === 'contender') === (end === 'crowned') ? 'won' : 'lost'
}

/** Which of its epochs a duel is in, as in "epoch 2 of at most 8". */
export const turnIn = ({ epochIndex, duelEpochs }: DuelTurn): string =>
  `epoch ${epochIndex} of at most ${duelEpochs}`

/** How many environments the contender has won and needs, and how many count for neither. */
function winsText({ wins, counted, needed, envs }: DuelFacts): string {
  if (counted === 0) return 'no environment tells the two apart'
  const won = `the contender has won ${wins} of ${counted} environments, ${needed} needed`
  const even = envs.length - counted
  return even === 0 ? won : `${won}; ${even} more do not tell the two apart`
}

/** What a contender does in an epoch, as in "contends, epoch 2 of at most 8". Protocol §8.2. */
export function contendsText(duel: DuelTurn & Pick<DuelFacts, 'standing'>): string {
  if (duel.epochIndex > duel.duelEpochs) return 'has won, and waits for the others'
  const turn = turnIn(duel)
  return duel.standing === 'won' ? `contends, ${turn}: it has won` : `contends, ${turn}`
}

/** How a duel stands, or how it ended and why. Protocol §8.3, §8.7, §8.11. */
export function duelText(duel: DuelFacts): string {
  const { end, standing, duelEpochs } = duel
  const wins = winsText(duel)
  if (end === 'length') return `${wins}, when the ${duelEpochs} epochs were over`
  if (end === 'freezing') return `${wins}, ${FROZEN}`
  const waits = end === undefined && standing === 'won'
  return waits ? `${wins}: it waits until all who contend are heard` : wins
}

const FROZEN = 'when too few validators attested in four of its epochs'

type SideStats = Omit<MinerStats<unknown>, 'losses'>

const ENDS = {
  crowned: 'took the throne',
  passed: 'had won as well, but another was better',
  verdicts: 'failed',
  length: 'failed',
  freezing: `failed, ${FROZEN}`,
} as const

/** How a duel ended, in few words, as in "took the throne". */
export const endText = (end: DuelFacts['end']): string =>
  end === undefined ? 'contends' : ENDS[end]

/**
 * What came of a contender's duel, and why, as in "failed: it won 51.7 % of the 1047 challenges
 * that only one of the two solved, and chance alone explains that". Two deviations are chance.
 */
export function endingText(
  { end }: Pick<DuelFacts, 'end'>,
  { won, lost }: Pick<SideStats, 'won' | 'lost'>,
  ratioPpm: number,
): string {
  const head = endText(end)
  const decisive = won + lost
  if (decisive === 0) return `${head}: no challenge told the two apart`
  const bar = percent(ratioPpm)
  const isChance = (won - lost) ** 2 <= 4 * decisive
  const judged = isChance ? 'and chance alone explains that' : `and had to beat ${bar} clearly`
  const short = won < lost && !isChance ? 'so the champion is the better one' : judged
  const cause = end === 'crowned' ? `clearly more than the ${bar} that it had to beat` : short
  const share = percent((1e6 * won) / decisive)
  const which = `${decisive} challenges that only one of the two solved`
  return `${head}: it won ${share} of the ${which}, ${cause}`
}

/** A miner's duel as sentences: its result, the cause and what to do, and what its endpoint did. */
export function minerDuelText(side: Side, duel: DuelFacts, played: SideStats): string {
  const { challenges, won, lost, unbegun, answered, forfeits } = played
  const result = resultFor(side, duel)
  const head = { won: 'It won', lost: 'It lost', open: 'Its duel goes on' }[result]
  const isItsDoing = result === 'lost' && duel.end !== 'freezing'
  const cause = isItsDoing ? causeText(side, duel, played) : undefined
  const stands = `${head}: ${duelText(duel)}.`
  const texts = [cause === undefined ? stands : `It lost because ${cause}. ${stands}`]
  if (side === 'contender' && (duel.standing === 'lost' || duel.end === 'passed'))
    texts.push('It waits for another duel once it commits something else.')
  if (challenges === 0) return [...texts, 'No challenge counted.'].join(' ')
  const tied = challenges - won - lost
  texts.push(`It won ${won}, lost ${lost} and tied ${tied} of ${challenges} challenges.`)
  texts.push(`Its endpoint answered ${answered} of ${challenges - unbegun}.`)
  const { 'no-reply': _, ...others } = forfeits
  const ways = forfeitsText(others)
  if (ways !== '') texts.push(`These of its answers were forfeits: ${ways}.`)
  const which = unbegun === 1 ? '1 game was' : `${unbegun} games were`
  if (unbegun > 0) texts.push(`${which} never begun: ties, which cost nobody anything.`)
  return texts.join(' ')
}

/** What cost a miner the most challenges of a duel that it lost, and what to do about it. */
function causeText(side: Side, duel: DuelFacts, played: SideStats): string | undefined {
  const { challenges, won, lost, outplayed, slow, answered, forfeits } = played
  const { 'no-reply': silent = 0, ...others } = forfeits
  const wrong = Object.values(others).reduce((sum, count) => sum + count, 0)
  const most = Math.max(silent, wrong, outplayed)
  if (most === 0) return undefined
  if (side === 'contender' && duel.end === 'length' && won - lost > most)
    return `too few challenges counted to be sure: it won ${won} of ${won + lost}`
  const counted = `${most} of ${challenges} challenges`
  if (most === silent) {
    if (answered === 0) return 'its endpoint never replied: af doctor says what comes instead'
    return 2 * slow > answered
      ? `it was late in ${counted}: serve it faster, let it write less, or have room for more`
      : `it gave no reply in ${counted}: af doctor says what comes, and was there room for all?`
  }
  if (most === wrong)
    return `it gave no legal answer in ${counted}: af practise shows what is wrong with them`
  if (side === 'contender' && won >= lost)
    return `it did not win by enough: ${won} of ${won + lost} may be luck`
  return `it was outplayed in ${counted}, with legal answers: what was better is below`
}

const WAYS: Readonly<Record<string, string>> = {
  'no-reply': 'no reply',
  unreadable: 'no answer on the last line (it must be the answer alone)',
  illegal: 'illegal',
}

/** A way to forfeit a challenge, as `forfeitOf` names it, in words. */
export const forfeitText = (way: string): string => WAYS[way] ?? way

/** Forfeits in words, as in "3 illegal, 1 no reply"; empty without one. */
export const forfeitsText = (forfeits: Forfeits): string =>
  Object.entries(forfeits)
    .map(([way, count]) => `${count} ${forfeitText(way)}`)
    .join(', ')

/** Why an environment has the verdict that it has. */
const REASONS = {
  win: 'the contender won more than it has to, by more than luck and a third of liars explain',
  hold: 'the contender is below the ratio to beat, or too little above it to get a win',
  even: 'too few challenges tell the two apart, so it counts for neither',
} as const

/** The verdict of each environment with its reason, as in "hex@0.1.0: even, because too few …". */
export const verdictTexts = ({ envs, verdicts }: DuelFacts): readonly string[] =>
  envs.map((env) => {
    const verdict = verdicts[env]
    if (verdict === undefined) return `${env}: no verdict`
    return `${env}: ${verdict}, because ${REASONS[verdict]}`
  })

/**
 * A look on two lines: the counts and the verdict, then the numbers behind the verdict. Without a
 * verdict it has the text `otherwise`.
 */
export function envText(facts: EnvFacts, otherwise: string): string {
  const { env, wins, losses, ties, given } = facts
  const counts = `${wins} won, ${losses} lost, ${ties} tied`
  return `  ${env.padEnd(16)} ${counts} → ${given ?? otherwise}\n    ${basisText(facts)}`
}

/** The numbers behind the verdict, with their interval; without a verdict those for a win. */
function basisText(facts: EnvFacts): string {
  const { given, win, hold, minTrials, score, bar, ratioPpm, decisivePpm = 0 } = facts
  if (given === 'hold')
    return `for a hold: ${keptText(hold)}, and up to ${share(hold.most)} are a hold`
  if (given === 'even')
    return `for even: in the median lane ${percent(decisivePpm)} of challenges tell the two apart`
  const kept = `for a win: ${keptText(win)}`
  if (win.trials < minTrials * 1_000_000) return `${kept}, too few of ${minTrials}`
  const interval = drawInterval(win.bounds, ratioPpm)
  return `${kept} ${interval}, score ${score / 100} of ${bar / 100}`
}

const keptText = ({ wins, trials }: Decider): string => `${share(wins)} of ${share(trials)} won`

/** How much a lane counts in an environment. */
export function laneUseText({ isSetAside, weight, keptForWin, keptForHold }: EnvLaneFacts): string {
  if (isSetAside) return 'set aside: too far from the others'
  if (weight === 0) return 'its validator no longer has weight'
  const part = (ppm: number): string => `${Math.round(ppm / 10_000)} %`
  if (keptForWin === 1_000_000 && keptForHold === 1_000_000) return 'counts in both'
  const [win, hold] = [part(keptForWin), part(keptForHold)]
  return `${win} counts for a win, ${hold} for a hold: the rest is trimmed`
}
