import { statePath } from '@affine/blocks'
import type { Snapshot } from '@affine/chain'
import { type Protocol, parseState, type State, stateRoot } from '@affine/duel'
import { digestOfText, type Hash, type Result } from '@affine/prng'
import { type Clock, SYSTEM_CLOCK } from './clock.ts'
import { inTurn } from './in-turn.ts'
import { firstStateOf, type Subnet } from './networks.ts'
import { bucketUrls, commitmentsOf } from './snapshot.ts'
import type { OpenBucket, Source } from './sources.ts'
import { snapshotBlock } from './timetable.ts'

/** A few hundred hotkeys take well under this. */
export const STATE_BYTES: number = 8 * 1024 * 1024

/** Of the buckets that lack a state, so many are named. */
const MOST_TOLD = 4

/** A subnet, and how the buckets of its validators are opened. */
export interface PublicData extends Subnet {
  readonly openBucket: OpenBucket
  /** The machine's if left out. */
  readonly clock?: Clock | undefined
}

/**
 * The state that governed the epoch before `epoch`, if validators with more than half of the active
 * stake attested one root; else null. Active is the stake whose validator's slot holds a seal or an
 * attestation of one of the last `quorumEpochs` epochs. Protocol §9.4. The state is believed, not
 * recomputed. Asks the validators that attested it in turn, until one serves it.
 * @throws Error when they did, but no bucket of theirs serves the state.
 */
export async function attestedState(data: PublicData, epoch: number): Promise<State | null> {
  const { protocol, firstEpoch } = data.network
  if (epoch <= firstEpoch) return null
  const ended = await data.chain.snapshot(snapshotBlock(epoch, protocol))
  const { root, holders } = attestedIn(ended, epoch, protocol)
  if (root === undefined) return null
  // Everybody has it, so nobody serves it.
  const first = firstStateOf(data.network)
  if (root === stateRoot(first)) return first
  const urls = bucketUrls(ended)
  const path = statePath(epoch - 1)
  const tried: string[] = []
  const ask = async (hotkey: string): Promise<State | null> => {
    const url = urls.get(hotkey) ?? ''
    const state = await readState(data.openBucket(hotkey, url), path, root)
    if (state.ok) return state.value
    tried.push(`${hotkey} at ${url}: ${state.detail}`)
    return null
  }
  const { clock = SYSTEM_CLOCK } = data
  const found = await inTurn(holders, { ask, onLate: () => {}, clock })
  if (found !== null) return found
  const told = tried.sort().slice(0, MOST_TOLD)
  if (told.length < tried.length) told.push(`and ${tried.length - told.length} more`)
  const places = told.join('; ')
  const advice = 'wait, or begin with another epoch'
  throw new Error(`nobody serves ${path} with the attested root ${root} (${places}): ${advice}`)
}

/**
 * The root that more than half of the active stake attests for the epoch before `epoch`; undefined
 * without one.
 */
export async function attestedRoot(
  { chain, network }: Subnet,
  epoch: number,
): Promise<Hash | undefined> {
  const { protocol } = network
  const ended = await chain.snapshot(snapshotBlock(epoch, protocol))
  return attestedIn(ended, epoch, protocol).root
}

/** The root that more than half of the active stake attested for the last epoch, and by whom. */
function attestedIn(
  ended: Snapshot,
  epoch: number,
  { quorumEpochs }: Protocol,
): {
  readonly root: Hash | undefined
  readonly holders: readonly string[]
} {
  let all = 0n
  const attesting = new Map<Hash, { stake: bigint; holders: string[] }>()
  const commitments = commitmentsOf(ended)
  for (const { hotkey, stake, permit } of ended.neurons) {
    const said = commitments.get(hotkey)
    if (!permit || said === undefined || said.kind === 'miner') continue
    // Idle stake does not count, nor do slots that were written for epochs to come.
    if (said.epoch >= epoch || said.epoch < epoch - quorumEpochs) continue
    all += stake
    if (said.kind !== 'attest' || said.epoch !== epoch - 1) continue
    const { stake: before = 0n, holders = [] } = attesting.get(said.stateRoot) ?? {}
    attesting.set(said.stateRoot, { stake: before + stake, holders: [...holders, hotkey] })
  }
  const most = [...attesting].find(([, { stake }]) => 2n * stake > all)
  return { root: most?.[0], holders: most?.[1].holders ?? [] }
}

/** The state of this root in a source's file, or why it is not there. */
async function readState(
  source: Source | null,
  path: string,
  root: Hash,
): Promise<Result<State, 'NO_STATE'>> {
  const none = (detail: string) => ({ ok: false, code: 'NO_STATE', detail }) as const
  if (source === null) return none('it cannot be opened')
  try {
    const bytes = await source.read(path, STATE_BYTES)
    if (bytes === null) return none('not there')
    // The root first: nothing is parsed that is not what was asked for.
    if (digestOfText('state', bytes) !== root) return none('another state')
    const state = parseState(new TextDecoder().decode(bytes))
    return state.ok ? state : none(state.detail)
  } catch (error) {
    return none((error as Error).message)
  }
}
