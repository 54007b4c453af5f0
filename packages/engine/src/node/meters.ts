import { Counter, Gauge, type Registry } from 'prom-client'

/** The transactions that are counted, each by the first word of its name. */
export const SENT: readonly string[] = ['seal', 'attest', 'weights']
/** What problems are counted as, by their first word: labels have few values, whatever happens. */
export const TROUBLED: readonly string[] = [
  ...SENT,
  'turn',
  'lane',
  'node',
  'Chutes',
  'miner',
  'other',
]
/** The results of a lane. */
export const LANES: readonly string[] = ['accepted', 'rejected', 'set_aside']
const OUTCOMES = ['sent', 'refused', 'withheld']
const CALLED = ['reply', 'platform', 'miner', 'own']

type Gauges =
  | 'emits'
  | 'block'
  | 'age'
  | 'made'
  | 'epoch'
  | 'offset'
  | 'left'
  | 'lanes'
  | 'own'
  | 'trust'
  | 'miners'
  | 'tallies'
  | 'ratio'
  | 'weights'
  | 'free'
  | 'size'
type Counters = 'samples' | 'faults' | 'calls' | 'sent' | 'problems'

/** All meters of a validator. Those of any Node process are not among them. */
export type Meters = Readonly<Record<Gauges, Gauge> & Record<Counters, Counter>>

/** The meters, in a registry. Every counter starts at 0. */
export function metersIn(register: Registry): Meters {
  const meters = { ...gaugesIn(register), ...countersIn(register) }
  startCounting(meters)
  return meters
}

function gaugesIn(register: Registry): Record<Gauges, Gauge> {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `affine_${name}`, help, labelNames, registers: [register] })
  return {
    emits: gauge('emits', 'Is 1 if it sends to the chain, 0 in a dry run'),
    block: gauge('head_block', 'The last finalized block it has seen'),
    age: gauge('head_age_seconds', 'Time since it saw that block'),
    made: gauge('head_made_seconds', 'The age of that block when it came, by the clock here'),
    epoch: gauge('epoch', 'The epoch of that block'),
    offset: gauge('epoch_offset_blocks', 'Blocks of the epoch before that block'),
    left: gauge('lane_challenges_left', 'Challenges of its lane that are not played yet'),
    lanes: gauge('lanes', 'Lanes in the last epoch decided, by result', 'outcome'),
    own: gauge('own_trust', 'The trust in it, 0 to 1'),
    trust: gauge('trust', 'The trust in each validator, 0 to 1', 'hotkey'),
    miners: gauge('miner', 'The miner on the throne, and its contender: 1 each', 'role', 'hotkey'),
    tallies: gauge(
      'duel_challenges',
      "Challenges of the duel in lanes accepted, by the contender's result",
      'env',
      'verdict',
    ),
    ratio: gauge('ratio_to_beat', 'The ratio that a contender has to beat, 0 to 1'),
    weights: gauge('last_weights_block', 'The block in which it last set weights'),
    free: gauge('disk_free_bytes', 'The free space on the disks of its folders', 'folder'),
    size: gauge('disk_size_bytes', 'The size of the disks of its folders', 'folder'),
  }
}

function countersIn(register: Registry): Record<Counters, Counter> {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `affine_${name}_total`, help, labelNames, registers: [register] })
  return {
    samples: counter(
      'samples',
      'Challenges played, by the verdict for the contender',
      'env',
      'verdict',
    ),
    faults: counter('faults', 'Episodes that ended without a usable reply', 'env', 'side', 'fault'),
    calls: counter(
      'miner_calls',
      'Requests to miners, by outcome: a reply, or on which side it failed, and why',
      'outcome',
      'reason',
    ),
    sent: counter(
      'transactions',
      'Transactions that are in a block, refused, or withheld in a dry run',
      'what',
      'outcome',
    ),
    problems: counter('problems', 'Failures that were or will be tried again', 'what'),
  }
}

/** Counts from the start, so that the first of a kind is an increase. */
function startCounting({ sent, problems, calls }: Meters): void {
  for (const what of SENT) for (const outcome of OUTCOMES) sent.inc({ what, outcome }, 0)
  for (const what of TROUBLED) problems.inc({ what }, 0)
  for (const outcome of CALLED) calls.inc({ outcome, reason: '' }, 0)
}
