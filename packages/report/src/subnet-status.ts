import type { Chain, UidWeights } from '@affine/chain'
import {
  type DuelSnapshot,
  type Evidence,
  judgeEnvironment,
  type LaneRule,
  type Protocol,
  type Report,
  ruleAmong,
  type State,
  stateRoot,
  sumTallies,
  type Tallies,
  type Verdict,
  weighToday,
} from '@affine/duel'
import {
  averageBlockMs,
  duelSnapshot,
  type EpochPosition,
  placeOf,
  type Settled,
  type Subnet,
} from '@affine/settlement'
import { type EnvFacts, envFacts } from './env-facts.ts'
import { reportRecord } from './epoch-facts.ts'
import { type OtherState, otherState } from './other-state.ts'
import { queueIn } from './queue.ts'
import { type MissingQuorum, missingQuorum } from './quorum.ts'
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
export interface EnvStatus extends Omit<Evidence, 'look'> {
  readonly env: string
  readonly tallies: Tallies
  readonly verdict: Verdict | 'go on'
  /** The numbers that decide it while it is open. */
  readonly rule: LaneRule
}

/** The state of a subnet at its chain's head. */
export interface SubnetStatus {
  /** The state that governs the head's epoch. */
  readonly state: State
  /** The report of the epoch before. */
  readonly report: Report | undefined
  /** Why no duel started after it, though a miner waits. */
  readonly lacking: MissingQuorum | undefined
  /** Who attests another state of that epoch. */
  readonly others: OtherState | undefined
  readonly block: number
  /** The block's place in its epoch. */
  readonly place: EpochPosition
  readonly epochBlocks: number
  readonly due: Due
  readonly envs: readonly EnvStatus[]
  /** The same environments as they look today. */
  readonly looks: readonly EnvFacts[]
  /** The hotkeys that wait for a duel, the next first. */
  readonly waiting: readonly string[]
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
  last: Settled | undefined,
): Promise<SubnetStatus> {
  const report = last?.report
  const lacking = last && missingQuorum(last)
  const others = last && otherState(last)
  const { chain, network } = subnet
  const { number: block } = await chain.head()
  const snapshot = await chain.snapshot(block)
  const weights = await chain.weights(block)
  const place = placeOf(block, network.protocol)
  const due = await nextDeadline(chain, block, network.protocol)
  const today = duelSnapshot(snapshot, state.epoch + 1, network.protocol)
  const { envs, looks } = envsOf(state, today)
  const { waiting } = queueIn(state, snapshot, network)
  const rows = validatorRows({ block, snapshot, weights, state, report })
  const { epochBlocks } = network.protocol
  const seen = { envs, looks, waiting, rows, weights }
  return { state, report, lacking, others, block, place, epochBlocks, due, ...seen }
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

function envsOf({ duel, protocol }: State, today: DuelSnapshot) {
  const envs: EnvStatus[] = []
  const looks: EnvFacts[] = []
  if (duel === undefined) return { envs, looks }
  const { verdicts, ratio: ratioPpm } = duel
  const weights = weighToday(duel, today)
  for (const env of Object.keys(protocol.envs)) {
    const epochs = duel.tallies[env] ?? []
    const rule = ruleAmong(verdicts, env, protocol)
    const { look: _, ...evidence } = judgeEnvironment({ weights, epochs, ratioPpm, rule })
    const tallies = sumTallies(epochs)
    envs.push({ env, tallies, ...evidence, verdict: verdicts[env] ?? 'go on', rule })
    const report = { ...evidence, tallies, rule, given: undefined }
    looks.push(envFacts({ env, report, weights, ratioPpm }))
  }
  return { envs, looks }
}

/** The state of a subnet as a record for machines. */
export function statusRecord({ state, place, report, ...status }: SubnetStatus): object {
  const { lacking, others, block, due, envs, waiting, rows, weights } = status
  const { ratio, champion, duel } = state
  return {
    block,
    epoch: place.epoch,
    offset: place.offset,
    due,
    root: stateRoot(state),
    ratio,
    champion,
    duel,
    envs,
    waiting,
    lacking,
    others,
    report: report && reportRecord(report),
    rows,
    weights,
  }
}
