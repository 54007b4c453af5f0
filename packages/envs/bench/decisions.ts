import { judgeEnvironment, PROTOCOL, quotaOf, type Tallies } from '@affine/duel'
import { type Generator, pcg64 } from '@affine/prng'
import { walk } from '@affine/wilson'
import { short } from './share.ts'

const RATIO_PPM = 510_000
const SEED = 20_260_101

/** A contender: its share of the decisive challenges of an environment, and how many are tied. */
export interface Contest {
  readonly env: string
  readonly p: number
  readonly tied: number
}

/** What a decision takes. Challenges and calls are those of one lane. */
interface DecisionCost {
  readonly won: number
  readonly challenges: number
}

/** One validator that looks after every challenge, exactly. */
function alone({ p, tied }: Contest): DecisionCost {
  const { win, expectedTrials } = walk({ p, ratioPpm: RATIO_PPM, rule: PROTOCOL })
  return { won: win, challenges: expectedTrials / (1 - tied) }
}

/** As many honest lanes that weigh the same, within a duel, looked at after each of its epochs. */
function together(contest: Contest, lanes: number, duels: number): DecisionCost {
  const random = pcg64(SEED)
  const played = Array.from({ length: duels }, () => playDuel(contest, lanes, random))
  const mean = (of: (one: DecisionCost) => number): number =>
    played.reduce((sum, one) => sum + of(one), 0) / duels
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
    const quota = quotaOf(epoch, constants)
    challenges += quota
    epochs.push(Object.fromEntries(names.map((name) => [name, seenIn(contest, quota, random)])))
    const rule = PROTOCOL
    const { look } = judgeEnvironment({ weights, epochs, ratioPpm: RATIO_PPM, rule })
    if (look !== 'continue') return { won: look === 'win' ? 1 : 0, challenges }
  }
  return { won: 0, challenges }
}

/** A lane of an epoch. */
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
 * A row: who, p and ties, then how often the contender wins, and challenges and calls of a lane
 * until a decision: of one validator, and of each of four within a duel.
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

/** Two miners of which each earns all in its share of the challenges, apart from each other. */
export function contestOf(env: string, contender: number, champion: number): Contest {
  const wins = contender * (1 - champion)
  const losses = champion * (1 - contender)
  return { env, p: wins / (wins + losses), tied: 1 - wins - losses }
}
