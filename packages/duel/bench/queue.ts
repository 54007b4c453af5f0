import { type Generator, pcg64 } from '@affine/prng'
import {
  computeQuotas,
  decide,
  type EnvConstants,
  type LaneTally,
  orderQueue,
  PROTOCOL,
  type Protocol,
  type State,
} from '../src/index.ts'
import { measuredPack } from '../test/measured.ts'
import { crownedFirst, epochOf, laneOf, miner } from '../test/subnet.ts'
import { binomial } from './draw.ts'
import { printTable } from './worst.ts'

/** Epochs a day, of 7200 blocks. */
export const EPOCHS_A_DAY = 7200 / PROTOCOL.epochBlocks
const MINERS = 255

/**
 * Share of ties by environment, and calls to one miner per challenge, or to both per game, as
 * measured in docs/environments.md.
 */
const MEASURED: Readonly<Record<string, { readonly tied: number; readonly calls: number }>> = {
  'hex@0.1.0': { tied: 0, calls: 17.7 },
  'mult8@0.1.0': { tied: 0.5, calls: 1 },
  'pack@0.1.0': { tied: measuredPack('local 10000', 'local 1000').tied, calls: 1 },
  'tictactoe@0.1.0': { tied: 0.91, calls: 1.45 },
}

/** Contenders' shares of wins: three of five copy the champion, the others win .45 to .51. */
const shareOf = (place: number): number =>
  place % 5 < 3 ? 0.5 : 0.45 + (Math.floor(place / 5) % 7) / 100

/** The result of a queue. */
interface Served {
  readonly epochs: number
  /** Requests of a lane to miners, for all verdicts. */
  readonly calls: number
  /** Episodes of a lane, for all verdicts. */
  readonly replies: number
  /** Maximum challenges that a lane sends to the champion in an epoch. */
  readonly peak: number
  readonly crowned: number
}

/** Simulates miners that begin to wait together, until no miner waits and no duel is left. */
function serve(validators: readonly string[], protocol: Protocol): Served {
  const random = pcg64(20_260_101n)
  const queue = Array.from({ length: MINERS }, (_, place) => miner(`m${place}`, place))
  const seen = { epochs: 0, calls: 0, replies: 0, peak: 0, crowned: 0 }
  let state = crownedFirst({ validators, miners: [miner('champion')], protocol })
  for (;;) {
    const facts = epochOf(state, { validators, miners: queue, protocol })
    if (state.duels.length === 0 && orderQueue(state, facts.snapshot).length === 0) return seen
    const lane = () => drawLane(state, random, (hotkey) => shareOf(Number(hotkey.slice(1))))
    const lanes = Object.fromEntries(validators.map((validator) => [validator, lane()]))
    const { calls, replies, challenges } = askedIn(state)
    seen.epochs += 1
    seen.calls += calls
    seen.replies += replies
    seen.peak = Math.max(seen.peak, challenges)
    const decided = decide(state, { ...facts, lanes })
    seen.crowned += decided.report.crowned === undefined ? 0 : 1
    state = decided.state
  }
}

/** Draws a lane in which each contender wins its share of the decisive challenges. */
export function drawLane(state: State, random: Generator, share: (hotkey: string) => number) {
  return laneOf(state, (played, env, contender): LaneTally => {
    const decisive = played - binomial(played, MEASURED[env]?.tied ?? 0, random)
    const wins = binomial(decisive, share(contender), random)
    return [wins, decisive - wins, 1e6 * wins, 1e6 * (decisive - wins)]
  })
}

/** Counts requests, episodes and challenges of a lane in the epoch that a state governs. */
function askedIn(state: State) {
  const { envs } = state.protocol
  const cost = { calls: 0, replies: 0, challenges: 0 }
  for (const [env, { players }] of Object.entries<EnvConstants>(envs)) {
    const quotas = Object.values(computeQuotas(state)).map((quota) => quota[env] ?? 0)
    const all = quotas.reduce((sum, quota) => sum + quota, 0)
    // The champion plays each game, but other challenges only once for all contenders.
    const challenges = players === 2 ? all : Math.max(0, ...quotas)
    const replies = all + challenges
    cost.challenges += challenges
    cost.replies += replies
    cost.calls += (MEASURED[env]?.calls ?? 1) * (players === 2 ? all : replies)
  }
  return cost
}

/** Prints the duration and cost of a full queue, compared with one duel at a time. */
export function printQueue(): void {
  const title = `${MINERS} waiting miners`
  const columns = [
    'lanes',
    'days',
    'crowned',
    'calls per duel',
    'relative calls',
    'relative replies',
    'peak',
  ]
  const [days, calls]: [string[], string[]] = [[], []]
  printTable({ title, columns }, [4, 8, 16, 64], (lanes) => {
    const validators = Array.from({ length: lanes }, (_, i) => `v${i + 10}`)
    const many = serve(validators, PROTOCOL)
    const one = serve(validators, { ...PROTOCOL, duelsMost: 1 })
    const day = (many.epochs / EPOCHS_A_DAY).toFixed(1)
    const duel = (many.calls / MINERS).toFixed(0)
    days.push(day)
    calls.push(duel)
    const of = (kind: 'calls' | 'replies') => (many[kind] / one[kind]).toFixed(2)
    return [lanes, day, many.crowned, duel, of('calls'), of('replies'), many.peak]
  })
  console.log(`\n${MINERS} miners: ${days.join(' ')}`)
  console.log(`calls per duel: ${calls.join(' ')}`)
}
