import type { Commitment, Neuron, Snapshot, UidWeights } from '@affine/chain'
import { type State, trustOf } from '@affine/duel'
import { commitmentsOf } from '@affine/settlement'
import type { LaneFacts } from './lane-facts.ts'
import { laneText } from './sentences/lanes.ts'
import { percent, shortHotkey } from './text.ts'

/** A subnet at the end of a block, with everything about its validators. */
export interface ValidatorSeats {
  readonly block: number
  readonly snapshot: Snapshot
  /** The weights in force, by the hotkey of the validator that set them. */
  readonly weights: Readonly<Record<string, UidWeights>>
  readonly state: State
  /** Of the epoch before. */
  readonly lanes: readonly LaneFacts[]
}

/** A validator as a row of a table. */
export type ValidatorRow = {
  readonly uid: number
  readonly hotkey: string
  /** The result of its lane in the epoch before; undefined when it was not due. */
  readonly lane: string | undefined
  readonly trust: string
  /** What it has committed, and for which epoch. */
  readonly committed: string | undefined
  /** The miners that get its weights in force. */
  readonly weights: string
  /** How many blocks ago it set them. */
  readonly ago: number
}

/** One row for each neuron with a permit, with weights in force, or with a record of trust. */
export function validatorRows({
  block,
  snapshot,
  weights,
  state,
  lanes,
}: ValidatorSeats): readonly ValidatorRow[] {
  const { neurons } = snapshot
  const said = commitmentsOf(snapshot)
  const isValidator = ({ hotkey, permit }: Neuron): boolean =>
    permit || Object.hasOwn(weights, hotkey) || Object.hasOwn(state.trust, hotkey)
  return neurons.filter(isValidator).map(({ uid, hotkey, lastUpdate }) => {
    const lane = lanes.find(({ validator }) => validator === hotkey)
    return {
      uid,
      hotkey,
      lane: lane && laneText(lane),
      trust: percent(trustOf(state.trust[hotkey])),
      committed: committedText(said.get(hotkey)),
      weights: weightsText(weights[hotkey], neurons),
      ago: block - lastUpdate,
    }
  })
}

/** What a validator has committed, and for which epoch. */
function committedText(said: Commitment | undefined): string | undefined {
  if (said === undefined || said.kind === 'miner') return undefined
  return `${said.kind} ${said.epoch}`
}

/** The miners that get weights, as a text. */
function weightsText(weights: UidWeights = [], neurons: readonly Neuron[]): string {
  const hotkeys = new Map(neurons.map(({ uid, hotkey }) => [uid, hotkey]))
  const texts = weights.map(([uid]) => `${uid} → ${shortHotkey(hotkeys.get(uid) ?? '')}`)
  return texts.join(', ') || '-'
}
