import type { Chain, UidWeights } from '@affine/chain'
import {
  type Protocol,
  ratioToBeat,
  type State,
  stateRoot,
  sumTallies,
  type Tallies,
  type Verdict,
} from '@affine/duel'
import {
  averageBlockMs,
  type EpochPosition,
  placeOf,
  type Settled,
  type Subnet,
} from '@affine/settlement'
import { type DuelTurn, duelTurn } from './duel-facts.ts'
import type { EnvFacts } from './env-facts.ts'
import { type EpochFacts, epochFacts, reportRecord } from './epoch-facts.ts'
import { type QueueEntry, queueIn } from './queue.ts'
import { type ValidatorRow, validatorRows } from './validators.ts'

/** The next deadline. */
interface Due {
  /** What counts until then. */
  readonly what: 'seals' | 'attestations'
  /** How many blocks are left. */
  readonly blocks: number
  /** An estimate, from the last 20 blocks. */
  readonly seconds: number
}

/** An environment of a duel that goes on. */
export interface EnvStatus {
  readonly env: string
  readonly tallies: Tallies
  readonly verdict: Verdict | 'go on'
  /** What was looked at in the epoch before; undefined where it was closed, or none of the duel. */
  readonly look: EnvFacts | undefined
}

/** The state of a subnet at its chain's head. */
export interface SubnetStatus {
  /** The state that governs the head's epoch. */
  readonly state: State
  /** The ratio to beat in it, in ppm, and its duel. */
  readonly ratio: number
  readonly duel: DuelTurn | undefined
  /** The epoch before, and its report as a record. */
  readonly last: EpochFacts | undefined
  readonly report: object | undefined
  readonly block: number
  /** The block's place in its epoch. */
  readonly place: EpochPosition
  readonly epochBlocks: number
  readonly due: Due
  readonly envs: readonly EnvStatus[]
  /** The hotkeys that wait for a duel, the next first. */
  readonly waiting: readonly string[]
  /** The place of every neuron among them, or why it has none. */
  readonly queue: readonly QueueEntry[]
  /** One for each validator. */
  readonly rows: readonly ValidatorRow[]
  /** The weights in force, by the hotkey of the validator that set them. */
  readonly weights: Readonly<Record<string, UidWeights>>
}

/**
 * The state of a subnet at its chain's head, given the state that governs the head's epoch and the
 * epoch before as it was decided.
 */
export async function subnetStatus(
  subnet: Subnet,
  state: State,
  settled: Settled | undefined,
): Promise<SubnetStatus> {
  const last = settled && epochFacts(settled)
  const report = settled && reportRecord(settled.report)
  const now = { state, ratio: ratioToBeat(state), duel: duelTurn(state), last, report }
  const { chain, network } = subnet
  const { number: block } = await chain.head()
  const snapshot = await chain.snapshot(block)
  const weights = await chain.weights(block)
  const place = placeOf(block, network.protocol)
  const due = await nextDeadline(chain, block, network.protocol)
  const { waiting, rows: queue } = queueIn(state, snapshot, network)
  const rows = validatorRows({ block, snapshot, weights, state, lanes: last?.lanes ?? [] })
  const { epochBlocks } = network.protocol
  const seen = { envs: envsOf(state, last), waiting, queue, rows, weights }
  return { ...now, block, place, epochBlocks, due, ...seen }
}

/** The next deadline for seals or attestations. Protocol §5.1. */
async function nextDeadline(chain: Chain, block: number, protocol: Protocol): Promise<Due> {
  const { sealBlock, epochBlocks } = protocol
  const { offset } = placeOf(block, protocol)
  const ms = await averageBlockMs(chain, block)
  const dueAt = (what: Due['what'], deadline: number): Due => {
    const blocks = deadline - offset
    return { what, blocks, seconds: Math.round((blocks * ms) / 1000) }
  }
  if (offset <= sealBlock) return dueAt('seals', sealBlock)
  return dueAt('attestations', epochBlocks - 1)
}

function envsOf({ duel, protocol }: State, last: EpochFacts | undefined): readonly EnvStatus[] {
  if (duel === undefined) return []
  const looks = last?.duel?.id === duel.id ? last.envs : []
  return Object.keys(protocol.envs).map((env) => ({
    env,
    tallies: sumTallies(duel.tallies[env] ?? []),
    verdict: duel.verdicts[env] ?? 'go on',
    look: looks.find((look) => look.env === env),
  }))
}

/** The state of a subnet as a record for machines. */
export function statusRecord({ state, place, last, ...status }: SubnetStatus): object {
  const { ratio, report, block, due, envs, waiting, queue, rows, weights } = status
  const { champion, duel } = state
  return {
    block,
    epoch: place.epoch,
    offset: place.offset,
    due,
    root: stateRoot(state),
    ratio,
    champion,
    duel,
    envs: envs.map(({ look: _, ...env }) => env),
    waiting,
    queue,
    lacking: last?.lacking,
    others: last?.others,
    report,
    rows,
    weights,
  }
}
