import type { Metadata } from '@polkadot/types'
import { stringCamelCase } from '@polkadot/util'
import { asciiLine } from './node-message.ts'

// The names of everything that this client uses of a chain's runtime. It can use nothing else: the
// names are types. What is in `NEEDS` may be missing, as long as the client has another way.

/** The storage items in which runtimes keep commits of timelocked weights. */
export const TIMELOCKED_COMMITS = [
  'subtensorModule.timelockedWeightCommits',
  'subtensorModule.crv3WeightCommitsV2',
  'subtensorModule.crv3WeightCommits',
] as const

/** Storage items, each after its pallet. */
export const STORAGE = [
  'timestamp.now',
  'system.number',
  'system.events',
  'drand.lastStoredRound',
  'commitments.commitmentOf',
  'subtensorModule.tempo',
  'subtensorModule.uids',
  'subtensorModule.weights',
  'subtensorModule.weightsVersionKey',
  'subtensorModule.commitRevealWeightsEnabled',
  'subtensorModule.commitRevealWeightsVersion',
  'subtensorModule.revealPeriodEpochs',
  'subtensorModule.subnetEpochIndex',
  'subtensorModule.timelockedWeightCommits',
  'subtensorModule.crv3WeightCommitsV2',
  'subtensorModule.crv3WeightCommits',
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

/** Events, each after its pallet. */
export const EVENTS = ['system.extrinsicSuccess', 'system.extrinsicFailed'] as const

/** The extensions of a signed call that this client knows and that may take bytes. */
const EXTENSIONS: readonly string[] = [
  'CheckMortality',
  'CheckNonce',
  'ChargeTransactionPayment',
  'CheckMetadataHash',
]

/** At least one of `need` must be there, always or if `where` is there. */
interface Need {
  readonly where?: string
  readonly need: readonly string[]
}

const TIMELOCKED = 'call subtensorModule.commitTimelockedWeights'

/** What must be there of the names above of which a runtime need not have all. */
const NEEDS: readonly Need[] = [
  {
    where: 'storage subtensorModule.subnetEpochIndex',
    need: ['runtime API subnetInfoRuntimeApi.getNextEpochStartBlock'],
  },
  { where: TIMELOCKED, need: ['storage subtensorModule.commitRevealWeightsVersion'] },
  { need: [TIMELOCKED, 'call subtensorModule.commitCrv3Weights'] },
  { need: TIMELOCKED_COMMITS.map((item) => `storage ${item}`) },
]

const ASKED = { storage: STORAGE, call: CALLS, 'runtime API': METHODS, event: EVENTS }

/**
 * A sentence, in printable ASCII, for each name that this client uses and that a runtime lacks, and
 * for each extension of signed calls that it does not know and that takes bytes. Arguments and
 * types are not checked: the chain refuses a wrong argument, and a wrong type is `BadReply` where
 * it is read. Nor are the runtime APIs in metadata before version 15, which does not list them.
 * @throws Error if the metadata is not in its registry, or cannot be decoded.
 */
export function runtimeFaults(metadata: Metadata): readonly string[] {
  const there = namesIn(metadata)
  return [...lacks(there, metadata.version), ...extensionFaults(metadata)].map(asciiLine)
}

/** Something that has a name in metadata. */
interface RuntimeName {
  readonly name: { toString(): string }
}

/** All that a runtime has, as in `call subtensorModule.setWeights`. */
function namesIn({ asLatest, registry }: Metadata): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (
    kind: keyof typeof ASKED,
    { name: section }: RuntimeName,
    all: Iterable<RuntimeName>,
  ): void => {
    const prefix = `${kind} ${stringCamelCase(section.toString())}`
    for (const { name } of all) names.add(`${prefix}.${stringCamelCase(name.toString())}`)
  }
  type Enumeration = { readonly type: Parameters<typeof registry.lookup.getSiType>[0] } | null
  const variantsOf = (each: Enumeration): Iterable<RuntimeName> =>
    each ? registry.lookup.getSiType(each.type).def.asVariant.variants : []
  for (const pallet of asLatest.pallets) {
    add('storage', pallet, pallet.storage.unwrapOr(null)?.items ?? [])
    add('call', pallet, variantsOf(pallet.calls.unwrapOr(null)))
    add('event', pallet, variantsOf(pallet.events.unwrapOr(null)))
  }
  for (const api of asLatest.apis) add('runtime API', api, api.methods)
  return names
}

/** A sentence for each name that is missing, or for those of which one is needed. */
function lacks(there: ReadonlySet<string>, version: number): readonly string[] {
  const isThere = (what: string): boolean => there.has(what)
  const isListed = (what: string): boolean => version >= 15 || !what.startsWith('runtime')
  const needs = NEEDS.filter(({ need }) => need.some(isListed))
    .filter(({ where }) => where === undefined || isThere(where))
    .filter(({ need }) => !need.some(isThere))
    .map(({ need, where }) => {
      const cause = where ? `, which is needed with ${where}` : ''
      return `there is no ${need.join(', nor ')}${cause}`
    })
  const optional = new Set(NEEDS.flatMap(({ need, where = '' }) => [...need, where]))
  const asked = Object.entries<readonly string[]>(ASKED).flatMap(([kind, names]) =>
    names.map((name) => `${kind} ${name}`),
  )
  const missing = asked.filter((what) => isListed(what) && !isThere(what) && !optional.has(what))
  return [...missing.map((what) => `there is no ${what}`), ...needs]
}

function extensionFaults({ asLatest, registry }: Metadata): readonly string[] {
  return [...asLatest.extrinsic.transactionExtensions]
    .filter(({ identifier }) => !EXTENSIONS.includes(identifier.toString()))
    .filter(({ type }) => registry.lookup.getTypeDef(type).type !== 'Null')
    .map(({ identifier }) => `signed calls hold ${identifier}, an unknown extension`)
}
