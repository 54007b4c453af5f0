import { expandMetadata, type Metadata } from '@polkadot/types'
import { stringCamelCase } from '@polkadot/util'
import { ChainError } from '../chain-error.ts'

// The names of all items of a chain's runtime that this client uses. `lookUp` accepts no other
// names, except the optional constant `aura.slotDuration`.

/** Storage items, as `pallet.item`. */
export const STORAGE = [
  'timestamp.now',
  'system.events',
  'drand.lastStoredRound',
  'commitments.commitmentOf',
  'subtensorModule.weights',
  'subtensorModule.weightsVersionKey',
  'subtensorModule.commitRevealWeightsVersion',
  'subtensorModule.subnetEpochIndex',
] as const

/** Calls, as `pallet.call`. */
export const CALLS = [
  'commitments.setCommitment',
  'subtensorModule.setWeights',
  'subtensorModule.commitTimelockedWeights',
  'subtensorModule.commitCrv3Weights',
] as const

/** Methods of runtime APIs, as `api.method`. */
export const METHODS = [
  'subnetInfoRuntimeApi.getSelectiveMetagraph',
  'subnetInfoRuntimeApi.getNextEpochStartBlock',
] as const

export type Item = (typeof STORAGE)[number]
export type CallName = (typeof CALLS)[number]
type Name = Item | CallName | (typeof METHODS)[number] | 'aura.slotDuration'

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

const EPOCHS = 'subtensorModule.subnetEpochIndex'
const TIMELOCKED = 'subtensorModule.commitTimelockedWeights'
const OLDER_TIMELOCKED = 'subtensorModule.commitCrv3Weights'

/**
 * The names that a runtime may lack, since the client can use other names instead. A name may be
 * missing if its condition is true for the set of all missing names.
 */
const OPTIONAL: Readonly<Record<string, (missing: ReadonlySet<string>) => boolean>> = {
  [EPOCHS]: () => true,
  'subnetInfoRuntimeApi.getNextEpochStartBlock': (missing) => missing.has(EPOCHS),
  [TIMELOCKED]: (missing) => !missing.has(OLDER_TIMELOCKED),
  [OLDER_TIMELOCKED]: (missing) => !missing.has(TIMELOCKED),
  'subtensorModule.commitRevealWeightsVersion': (missing) => missing.has(TIMELOCKED),
}

/**
 * Returns a sentence for each name that this client needs and the runtime lacks. Does not check
 * arguments and types: the chain refuses a wrong argument, and reading a value of a wrong type
 * rejects with `BadReply`. Metadata before version 15 lists no runtime APIs to check.
 * @throws Error if the metadata is not in its registry, or cannot be decoded.
 */
export function runtimeFaults(metadata: Metadata): readonly string[] {
  const { query, tx } = expandMetadata(metadata.registry, metadata)
  const apis = listMethods(metadata)
  const missing = [
    ...STORAGE.filter((name) => !lookUp(query, name)).map((name) => ['storage', name] as const),
    ...CALLS.filter((name) => !lookUp(tx, name)).map((name) => ['call', name] as const),
    ...METHODS.filter((name) => apis?.has(name) === false).map((name) => ['runtime API', name]),
  ]
  const names = new Set(missing.map(([, name]) => name))
  const lacks = missing.filter(([, name]) => !OPTIONAL[name]?.(names))
  return lacks.map(([kind, name]) => `there is no ${kind} ${name}`)
}

/** Returns the methods as `api.method`, or undefined before version 15 of the metadata. */
function listMethods({ asLatest, version }: Metadata): ReadonlySet<string> | undefined {
  if (version < 15) return undefined
  const all = asLatest.apis.map(({ name, methods }) =>
    methods.map((method) =>
      [name, method.name].map((part) => stringCamelCase(`${part}`)).join('.'),
    ),
  )
  return new Set(all.flat())
}
