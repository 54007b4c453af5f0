import { expandMetadata, type Metadata } from '@polkadot/types'
import { stringCamelCase } from '@polkadot/util'
import { asciiLine } from './node-message.ts'
import { named } from './storage.ts'

// The names of everything that this client uses of a chain's runtime. It can use nothing else: the
// names are types.

/** Storage items, each after its pallet. */
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

/** Calls, each after its pallet. */
export const CALLS = [
  'commitments.setCommitment',
  'subtensorModule.setWeights',
  'subtensorModule.commitTimelockedWeights',
  'subtensorModule.commitCrv3Weights',
] as const

/** Methods, each after its runtime API. */
export const METHODS = [
  'subnetInfoRuntimeApi.getSelectiveMetagraph',
  'subnetInfoRuntimeApi.getNextEpochStartBlock',
] as const

/** The extensions of a signed call that this client knows and that may take bytes. */
const EXTENSIONS: readonly string[] = [
  'CheckMortality',
  'CheckNonce',
  'ChargeTransactionPayment',
  'CheckMetadataHash',
]

const EPOCHS = 'subtensorModule.subnetEpochIndex'
const TIMELOCKED = 'subtensorModule.commitTimelockedWeights'
const OLDER_TIMELOCKED = 'subtensorModule.commitCrv3Weights'

/** The names that a runtime may lack, and when: this client then uses others. */
const MAY_LACK: Readonly<Record<string, (missing: ReadonlySet<string>) => boolean>> = {
  [EPOCHS]: () => true,
  'subnetInfoRuntimeApi.getNextEpochStartBlock': (missing) => missing.has(EPOCHS),
  [TIMELOCKED]: (missing) => !missing.has(OLDER_TIMELOCKED),
  [OLDER_TIMELOCKED]: (missing) => !missing.has(TIMELOCKED),
  'subtensorModule.commitRevealWeightsVersion': (missing) => missing.has(TIMELOCKED),
}

/**
 * A sentence, in printable ASCII, for each name that this client uses and that a runtime lacks, and
 * for each extension of signed calls that it does not know and that takes bytes. Arguments and
 * types are not checked: the chain refuses a wrong argument, and a wrong type is `BadReply` where
 * it is read. Nor are the runtime APIs in metadata before version 15, which does not list them.
 * @throws Error if the metadata is not in its registry, or cannot be decoded.
 */
export function runtimeFaults(metadata: Metadata): readonly string[] {
  const { query, tx } = expandMetadata(metadata.registry, metadata)
  const apis = methodsIn(metadata)
  const missing = [
    ...STORAGE.filter((name) => !named(query, name)).map((name) => ['storage', name] as const),
    ...CALLS.filter((name) => !named(tx, name)).map((name) => ['call', name] as const),
    ...METHODS.filter((name) => apis?.has(name) === false).map((name) => ['runtime API', name]),
  ]
  const names = new Set(missing.map(([, name]) => name))
  const lacks = missing.filter(([, name]) => !MAY_LACK[name]?.(names))
  const faults = lacks.map(([kind, name]) => `there is no ${kind} ${name}`)
  return [...faults, ...extensionFaults(metadata)].map(asciiLine)
}

/** The methods of runtime APIs, each after its API; undefined before version 15 of the metadata. */
function methodsIn({ asLatest, version }: Metadata): ReadonlySet<string> | undefined {
  if (version < 15) return undefined
  const all = asLatest.apis.map(({ name, methods }) =>
    methods.map((method) =>
      [name, method.name].map((part) => stringCamelCase(`${part}`)).join('.'),
    ),
  )
  return new Set(all.flat())
}

function extensionFaults({ asLatest, registry }: Metadata): readonly string[] {
  return [...asLatest.extrinsic.transactionExtensions]
    .filter(({ identifier }) => !EXTENSIONS.includes(identifier.toString()))
    .filter(({ type }) => registry.lookup.getTypeDef(type).type !== 'Null')
    .map(({ identifier }) => `signed calls hold ${identifier}, an unknown extension`)
}
