import type { Side } from '@affine/envs'
import type { DuelFacts, DuelTurn } from '../duel-facts.ts'
import type { Decider, EnvFacts } from '../env-facts.ts'
import type { Forfeits, MinerStats } from '../miner-stats.ts'
import { challengesIn, drawInterval, percent, type Tone } from '../text.ts'

/** Returns the side of a miner in a duel, if it is in the duel. */
export function findSide(hotkey: string, duel: Pick<DuelFacts, Side>): Side | undefined {
  if (hotkey === duel.champion.hotkey) return 'champion'
  return hotkey === duel.contender.hotkey ? 'contender' : undefined
}

/**
 * Returns the result of a duel so far for one side. The champion wins a duel without a crowned
 * contender, even if the contender of another duel is crowned.
 */
export function findResult(side: Side, { end }: Pick<DuelFacts, 'end'>): 'won' | 'lost' | 'open' {
  if (end === undefined) return 'open'
  return (side === 'contender') === (end === 'crowned') ? 'won' : 'lost'
}

/** Formats the epoch of a duel, as in "epoch 2 of at most 8". */
export const formatTurn = ({ epochIndex, duelEpochs }: DuelTurn): string =>
  `epoch ${epochIndex} of at most ${duelEpochs}`

/**
 * Counts the environments that the contender, `who`, won and needs, and the undecided environments.
 */
function formatWins({ wins, counted, needed, envs }: DuelFacts, who: string): string {
  if (counted === 0) return 'all environments are undecided'
  const won = `${who} won ${wins} of ${counted} environments, ${needed} needed`
  const even = envs.length - counted
  return even === 0 ? won : `${won}; ${even} undecided`
}

/** Describes a duel so far, as in "contends, epoch 2 of at most 8", or its end. */
export function describeStanding(
  duel: DuelTurn & Partial<Pick<DuelFacts, 'standing' | 'end'>>,
): string {
  if (duel.end !== undefined) return describeEnd(duel.end)
  const isWaiting = duel.standing === 'won' || duel.epochIndex > duel.duelEpochs
  return isWaiting ? 'has won, and waits for the other duels' : `contends, ${formatTurn(duel)}`
}

export const RESULT_TONES: Readonly<Record<string, Tone>> = { won: 'good', lost: 'bad' }

type SideStats = Omit<MinerStats<unknown>, 'losses'>

/** Reasons for a duel's failure by end; other duels failed by verdicts. */
const REASONS: Readonly<Record<string, string>> = {
  passed: ', as another contender that had won was better',
  length: ', as its epochs were over',
  freezing: ', as too few validators attested in four of its epochs',
}

/** Describes the end of a duel, as in "took the throne". */
export function describeEnd(end: DuelFacts['end']): string {
  if (end === undefined) return 'contends'
  return end === 'crowned' ? 'took the throne' : `failed${REASONS[end] ?? ''}`
}

/**
 * Explains the result of a contender's duel, as in "failed: it won 51.6 % of the 1047 challenges in
 * which one of the two did better, which chance explains". Chance explains up to two standard
 * deviations.
 */
export function explainEnd(
  { end }: Pick<DuelFacts, 'end'>,
  { won, lost }: Pick<SideStats, 'won' | 'lost'>,
  ratioPpm: number,
): string {
  const head = describeEnd(end)
  const decisive = won + lost
  if (decisive === 0) return `${head}: no challenge was decisive`
  const bar = percent(ratioPpm)
  const isChance = (won - lost) ** 2 <= 4 * decisive
  const judged = isChance ? 'which chance explains' : `and had to beat ${bar} clearly`
  const short = won < lost && !isChance ? 'so the champion is the better one' : judged
  const cause = end === 'crowned' ? `clearly more than the ${bar} that it had to beat` : short
  const share = percent((1e6 * won) / decisive)
  const which = `${decisive} challenges in which one of the two did better`
  return `${head}: it won ${share} of the ${which}, ${cause}`
}

/**
 * Describes a miner's duel in sentences: result, cause, and the endpoint's performance. `where`
 * follows the result, as in " against veteran in epoch 2".
 */
export function describeMinerDuel(
  side: Side,
  duel: DuelFacts,
  played: SideStats,
  where = '',
): readonly string[] {
  const { challenges, won, lost, unbegun, answered, forfeits } = played
  const result = findResult(side, duel)
  const head = { won: 'It won', lost: 'It lost', open: 'Its duel continues' }[result]
  const reason = REASONS[duel.end ?? ''] ?? ''
  const who = side === 'contender' ? 'it' : 'the contender'
  const texts = [`${head}${where}${reason}: ${formatWins(duel, who)}.`]
  const cause = findLossCause(side, duel, played)
  if (cause) texts.push(`The cause: ${LOSS_CAUSES[cause]}.`)
  if (challenges === 0) return [...texts, 'No challenge counted.']
  const tied = challenges - won - lost
  texts.push(`Of ${challenges} challenges it won ${won}, lost ${lost} and tied ${tied}.`)
  texts.push(`Its endpoint answered ${answered} of ${challenges - unbegun}.`)
  const { 'no-reply': _, ...others } = forfeits
  const ways = formatForfeits(others)
  if (ways !== '') texts.push(`Forfeits among its answers: ${ways}.`)
  const which = unbegun === 1 ? '1 game was' : `${unbegun} games were`
  if (unbegun > 0) texts.push(`${which} never begun, and count as ties.`)
  return texts
}

/** Returns the main cause of a loss, if the miner lost by its replies. */
export function findLossCause(
  side: Side,
  duel: DuelFacts,
  played: SideStats,
): LossCause | undefined {
  const { won, lost, outplayed } = played
  const { 'no-reply': silent = 0, ...others } = played.forfeits
  const wrong = Object.values(others).reduce((sum, count) => sum + count, 0)
  const most = Math.max(silent, wrong, outplayed)
  const isOwnLoss = findResult(side, duel) === 'lost' && duel.end !== 'freezing'
  if (!isOwnLoss || most === 0) return undefined
  if (side === 'contender' && duel.end === 'length' && won - lost > most) return 'UNSURE'
  if (most === silent) return findSilenceCause(played)
  if (most === wrong) return 'WRONG'
  return side === 'contender' && won >= lost ? 'NARROW' : 'OUTPLAYED'
}

function findSilenceCause({ slow, answered }: SideStats): LossCause {
  if (answered === 0) return 'SILENT'
  return 2 * slow > answered ? 'LATE' : 'UNANSWERED'
}

/** Main causes of a loss, with advice. */
const LOSS_CAUSES = {
  UNSURE: 'too few challenges counted to be sure',
  SILENT: 'its endpoint never replied: run af doctor to see its responses',
  LATE: 'it often gave no reply, and most replies were slow: serve it faster, or let it write less',
  UNANSWERED: 'it often gave no reply: run af doctor, and check its capacity',
  WRONG: 'many answers were unreadable or illegal: run af practise to see why',
  NARROW: 'it did not win by enough: luck may explain it',
  OUTPLAYED: 'its legal answers were worse: see the better ones below',
} as const

export type LossCause = keyof typeof LOSS_CAUSES

const WAYS: Readonly<Record<string, string>> = {
  'no-reply': 'no reply',
  unreadable: 'not exactly an answer on the last line',
  illegal: 'illegal',
}

/** Formats forfeits, as in "3 illegal, 1 no reply". */
export const formatForfeits = (forfeits: Forfeits): string =>
  Object.entries(forfeits)
    .map(([way, count]) => `${count} ${WAYS[way] ?? way}`)
    .join(', ')

/** Explains a verdict or its absence, as in "its score of 2.94 reaches 2.45". */
export function explainVerdict(facts: EnvFacts): string {
  const { cause, win, hold, score, bar, minTrials, decisivePpm = 0 } = facts
  const left = challengesIn(win.trials)
  switch (cause) {
    case 'SCORE':
      return `its score of ${score / 100} reaches ${bar / 100}`
    case 'LINE':
      return `${formatWon(hold)}; with at most ${challengesIn(hold.most)} won, the champion holds`
    case 'BLANK':
      return 'no challenge is decisive'
    case 'SCARCE':
      return `only ${percent(decisivePpm)} of challenges are decisive`
    case 'FEW':
      return `a win takes ${minTrials} decisive challenges; ${left} left after trimming`
    case 'BEHIND':
      return 'it is behind, but not by enough for a hold'
    case 'CLOSE':
      return `its score of ${score / 100} is below ${bar / 100}`
    case undefined:
      return 'it was not evaluated in this epoch'
  }
}

/**
 * Formats the verdict of each environment, as in "hex@0.1.0: even, because no …". The cause is from
 * the latest analysis that gave the verdict.
 */
export const formatVerdicts = (
  { envs, verdicts }: Pick<DuelFacts, 'envs' | 'verdicts'>,
  analyses: readonly EnvFacts[],
): readonly string[] =>
  envs.map((env) => {
    const verdict = verdicts[env]
    const own = analyses.filter((each) => each.env === env && each.cause && each.given === verdict)
    const last = own.at(-1)
    const cause = last === undefined ? '' : `, because ${explainVerdict(last)}`
    return `${env}: ${verdict ?? 'no verdict'}${cause}`
  })

/**
 * Formats an analysis on two lines: counts and verdict, then the numbers behind the verdict.
 * `otherwise` replaces a missing verdict.
 */
export function formatEnv(facts: EnvFacts, otherwise: string): string {
  const { env, wins, losses, ties, given } = facts
  const counts = `${wins} won, ${losses} lost, ${ties} tied`
  return `  ${env.padEnd(16)} ${counts} → ${given ?? otherwise}\n    ${formatBasis(facts)}`
}

/** Formats the cause of a verdict, with the numbers for a win unless it is `hold` or `even`. */
function formatBasis(facts: EnvFacts): string {
  const { given, win, ratioPpm } = facts
  if (given === 'hold' || given === 'even') return explainVerdict(facts)
  const drawn = drawInterval(win.bounds, ratioPpm)
  return `for a win: ${formatWon(win)} ${drawn}: ${explainVerdict(facts)}`
}

/** Formats a weighted tally, as in "24 of 31 won". */
export const formatWon = ({ wins, trials }: Decider): string =>
  `${challengesIn(wins)} of ${challengesIn(trials)} won`
