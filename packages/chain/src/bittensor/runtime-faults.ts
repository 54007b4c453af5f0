import { ChainError } from '../chain-error.ts'

// The names of all items of a chain's runtime that this client uses. `lookUp` accepts no other
// names, except the optional constant `aura.slotDuration`.

/** Storage items that every runtime must have, as `pallet.item`. */
export const STORAGE = [
  'timestamp.now',
  'system.events',
  'drand.lastStoredRound',
  'commitments.commitmentOf',
  'subtensorModule.weights',
  'subtensorModule.weightsVersionKey',
] as const

/** Calls that every runtime must have, as `pallet.call`. */
export const CALLS = ['commitments.setCommitment', 'subtensorModule.setWeights'] as const

/**
 * The runtimes' calls for timelocked weights, newest first. The older call has no argument for the
 * version of commit and reveal, and its payload does not contain the hotkey.
 */
export const TIMELOCKED = [
  'subtensorModule.commitTimelockedWeights',
  'subtensorModule.commitCrv3Weights',
] as const

export type Item =
  | (typeof STORAGE)[number]
  | 'subtensorModule.commitRevealWeightsVersion'
  | 'subtensorModule.subnetEpochIndex'
export type CallName = (typeof CALLS)[number] | (typeof TIMELOCKED)[number]
type Method =
  | 'subnetInfoRuntimeApi.getSelectiveMetagraph'
  | 'subnetInfoRuntimeApi.getNextEpochStartBlock'
type Name = Item | CallName | Method | 'aura.slotDuration'

type Sections<Value> = Readonly<Record<string, Readonly<Record<string, Value>>>>

/** Returns the runtime's item of a name such as `timestamp.now`, or undefined if there is none. */
export function lookUp<Value>(sections: Sections<Value>, name: Name): Value | undefined {
  const [section = '', own = ''] = name.split('.')
  return sections[section]?.[own]
}

/**
 * Returns the runtime's item of a name.
 * @throws ChainError `NotInRuntime` if the runtime lacks it.
 */
export function requireItem<Value>(sections: Sections<Value>, name: Name): Value {
  const item = lookUp(sections, name)
  if (item === undefined)
    throw new ChainError('NotInRuntime', `this chain's runtime has no ${name}`)
  return item
}

/** Returns the newest call for timelocked weights that a runtime has, or else the newest of all. */
export const findTimelocked = (tx: Sections<unknown>): (typeof TIMELOCKED)[number] =>
  TIMELOCKED.find((name) => lookUp(tx, name)) ?? TIMELOCKED[0]

/**
 * Returns a sentence for each storage item and call that this client needs and the runtime lacks.
 * Does not check arguments, types and runtime APIs: the chain refuses a wrong argument, reading a
 * value of a wrong type rejects with `BadReply`, and calling a missing API with `NotInRuntime`.
 */
export function runtimeFaults({
  query,
  tx,
}: Readonly<Record<'query' | 'tx', Sections<unknown>>>): readonly string[] {
  const calls = [...CALLS, findTimelocked(tx)]
  const missing = [
    ...STORAGE.filter((name) => !lookUp(query, name)),
    ...calls.filter((name) => !lookUp(tx, name)),
  ]
  return missing.map((name) => `there is no ${name}`)
}
