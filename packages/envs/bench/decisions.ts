import { computeQuota, judgeEnvironment, PROTOCOL, type Tallies } from '@affine/duel'
import { type Generator, pcg64 } from '@affine/prng'
import { walk } from '@affine/wilson'
import { short } from './share.ts'

const RATIO_PPM = 510_000
const SEED = 20_260_101

/** A contest: the contender's share `p` of the decisive challenges, and the share of ties. */
export interface Contest {
  readonly env: string
  readonly p: number
  readonly tied: number
}

/** The share of duels that the contender wins, and a lane's challenges until the decision. */
interface DecisionCost {
  readonly won: number
  readonly challenges: number
}

/** Computes the exact cost for one validator that evaluates after every challenge. */
function alone({ p, tied }: Contest): DecisionCost {
  const { win, expectedTrials } = walk({ p, ratioPpm: RATIO_PPM, rule: PROTOCOL })
  return { won: win, challenges: expectedTrials / (1 - tied) }
}

/** Simulates duels with honest lanes of equal weight, evaluated after each epoch. */
function together(contest: Contest, lanes: number, duels: number): DecisionCost {
  const random = pcg64(SEED)
  const played = Array.from({ length: duels }, () => playDuel(contest, lanes, random))
  const mean = (read: (cost: DecisionCost) => number): number =>
    played.reduce((sum, cost) => sum + read(cost), 0) / duels
  return { won: mean(({ won }) => won), challenges: mean(({ challenges }) => challenges) }
}

function playDuel(contest: Contest, lanes: number, random: Generator): DecisionCost {
  const names = Array.from({ length: lanes }, (_, lane) => `lane ${lane}`)
  const weights = Object.fromEntries(names.map((name) => [name, 1_000_000]))
  const constants = PROTOCOL.envs[contest.env]
  if (constants === undefined) throw new Error(`the main network does not play ${contest.env}`)
  const epochs: Tallies[] = []
  let challenges = 0
  for (let epoch = 1; epoch <= PROTOCOL.duelEpochs; epoch++) {
    const quota = computeQuota(epoch, constants)
    challenges += quota
    epochs.push(Object.fromEntries(names.map((name) => [name, seenIn(contest, quota, random)])))
    const rule = PROTOCOL
    const { interimResult } = judgeEnvironment({ weights, epochs, ratioPpm: RATIO_PPM, rule })
    if (interimResult !== 'continue') return { won: interimResult === 'win' ? 1 : 0, challenges }
  }
  return { won: 0, challenges }
}

/** Draws a lane's tally of an epoch. */
function seenIn({ p, tied }: Contest, played: number, random: Generator): Tallies[string] {
  let [wins, losses] = [0, 0]
  for (let i = 0; i < played; i++) {
    if (random.random() < tied) continue
    if (random.random() < p) wins += 1
    else losses += 1
  }
  const points = { contenderPoints: 1_000_000 * wins, championPoints: 1_000_000 * losses }
  return { wins, losses, played, ...points }
}

/**
 * Returns a table row: names, p and ties. Then, for one validator alone and again for four: the
 * share of won duels, and the challenges and calls of each lane until the decision.
 */
export function decisionRow(
  names: readonly string[],
  contest: Contest,
  { calls, duels }: { readonly calls: number; readonly duels: number },
): string {
  const { p, tied } = contest
  if (tied === 1) return `| ${[...names, '', '1.00', ...Array(6).fill('never')].join(' | ')} |`
  const costs = [alone(contest), together(contest, 4, duels)]
  const cells = costs.flatMap(({ won, challenges }) => [
    short(won),
    challenges.toFixed(0),
    (challenges * calls).toFixed(0),
  ])
  return `| ${[...names, short(p), short(tied), ...cells].join(' | ')} |`
}

/** Returns the contest of two miners that solve their shares of the challenges independently. */
export function contestOf(env: string, contender: number, champion: number): Contest {
  const wins = contender * (1 - champion)
  const losses = champion * (1 - contender)
  return { env, p: wins / (wins + losses), tied: 1 - wins - losses }
}
