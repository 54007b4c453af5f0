import type { Metadata } from '@polkadot/types'
import { asciiLine } from './ascii-line.ts'
import { APIS, CALLS, CONSTANTS, EVENTS, EXTENSIONS, NEEDS, STORAGE } from './asked-of-runtime.ts'
import { entryOf, type RuntimeEntry, type RuntimeEntryKind } from './runtime-entry.ts'
import { bareType, differenceOf, shapeText, type TypeShape } from './type-shape.ts'

/** What this client expects under one name. */
interface RuntimeRequest {
  /** The keys of a storage item. */
  readonly keys?: readonly string[]
  readonly args?: Readonly<Record<string, TypeShape>>
  readonly value?: TypeShape
  readonly optional?: true
}

type Sections = Readonly<Record<string, Readonly<Record<string, RuntimeRequest>>>>

const ASKED: readonly (readonly [RuntimeEntryKind, Sections])[] = [
  ['storage', STORAGE],
  ['call', CALLS],
  ['runtime API', APIS],
  ['constant', CONSTANTS],
  ['event', EVENTS],
]

/**
 * A sentence, in printable ASCII, for each thing that this client uses and that a runtime lacks, or
 * has in another form. It does not check what calls do, nor the runtime APIs in metadata before
 * version 15, which does not list them.
 * @throws Error if the metadata is not in its registry, or cannot be decoded.
 */
export function runtimeFaults(metadata: Metadata): readonly string[] {
  const there = new Set<string>()
  const faults: string[] = []
  for (const { what, entry, asked } of placesIn(metadata)) {
    if (entry === undefined) {
      if (!asked.optional) faults.push(`there is no ${what}, expected ${askedText(asked)}`)
      continue
    }
    there.add(what)
    faults.push(...differences(metadata, entry, asked).map((text) => `${what}: ${text}`))
  }
  return [...faults, ...lacks(metadata, there), ...extensionFaults(metadata)].map(asciiLine)
}

/** Everything that this client uses, with what the runtime has of it. */
function* placesIn(metadata: Metadata): Generator<{
  readonly what: string
  readonly entry: RuntimeEntry | undefined
  readonly asked: RuntimeRequest
}> {
  for (const [kind, sections] of ASKED)
    for (const [section, names] of Object.entries(sections))
      for (const [name, asked] of Object.entries(names))
        yield {
          what: `${kind} ${section}.${name}`,
          entry: entryOf(metadata, { kind, section, name }),
          asked,
        }
}

/** How an entry differs from what this client expects. */
function differences(
  { registry }: Metadata,
  entry: RuntimeEntry,
  asked: RuntimeRequest,
): readonly string[] {
  const args = argsOf(asked)
  const [expected, found] = [args, entry.args].map((each) => each.map(([name]) => name).join(', '))
  if (expected !== found) return [`expected (${expected}), found (${found})`]
  const wanted = asked.value === undefined ? args : [...args, ['value', asked.value] as const]
  return wanted.flatMap(([name, shape], i) => {
    const type = entry.args[i]?.[1] ?? entry.value
    if (type === undefined) return [`"${name}" expected ${shapeText(shape)}, found nothing`]
    const difference = differenceOf(registry.lookup, type, shape)
    if (difference === null) return []
    const { path, expected, found } = difference
    return [`"${name}${path}" expected ${expected}, found ${found}`]
  })
}

/** The arguments, or the keys of a storage item, named by their position. */
const argsOf = ({ args, keys = [] }: RuntimeRequest): readonly (readonly [string, TypeShape])[] =>
  args ? Object.entries(args) : keys.map((key, i) => [`key ${i + 1}`, key])

function askedText(asked: RuntimeRequest): string {
  const args = argsOf(asked).map(([name, shape]) => `${name}: ${shapeText(shape)}`)
  const value = asked.value === undefined ? '' : ` of ${shapeText(asked.value)}`
  return `(${args.join(', ')})${value}`
}

/** A sentence for each group of names of which one is needed and none is there. */
function lacks({ version }: Metadata, there: ReadonlySet<string>): readonly string[] {
  const isListed = ([what = '']: readonly string[]): boolean =>
    version >= 15 || !what.startsWith('runtime API')
  const isThere = (what: string): boolean => there.has(what)
  const isNeeded = ({ where }: (typeof NEEDS)[number]): boolean => where?.some(isThere) ?? true
  return NEEDS.filter((each) => isListed(each.need) && isNeeded(each))
    .filter(({ need }) => !need.some(isThere))
    .map(({ need, where }) => {
      const cause = where ? `, which is needed with ${where.filter(isThere).join(' and ')}` : ''
      return `there is no ${need.join(', nor ')}${cause}`
    })
}

/**
 * A sentence for each extension that this client does not know and that takes bytes in a signed
 * call.
 */
function extensionFaults({ asLatest, registry }: Metadata): readonly string[] {
  const { lookup } = registry
  return [...asLatest.extrinsic.transactionExtensions]
    .filter(({ identifier }) => !EXTENSIONS.includes(identifier.toString()))
    .map(({ identifier, type }) => ({
      name: identifier.toString(),
      type: bareType(lookup, lookup.getTypeDef(type)).type,
    }))
    .filter(({ type }) => type !== 'Null')
    .map(
      ({ name, type }) =>
        `signed calls hold ${name}, an unknown extension: expected Null, found ${type}`,
    )
}
