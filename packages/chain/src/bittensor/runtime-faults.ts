import type { Metadata } from '@polkadot/types'
import { asciiLine } from './ascii-line.ts'
import { APIS, CALLS, CONSTANTS, EVENTS, EXTENSIONS, NEEDS, STORAGE } from './asked-of-runtime.ts'
import { entryOf, type RuntimeEntry, type RuntimeEntryKind } from './runtime-entry.ts'
import { bareType, differenceOf, shapeText, type TypeShape } from './type-shape.ts'

/** What is asked of one name. */
interface RuntimeRequest {
  /** Of storage. */
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
 * What a runtime lacks of all that this client asks of it, or has in another shape: a sentence
 * each, of printable ASCII; none where nothing is wrong. Says nothing of what a call does, nor of
 * runtime APIs before version 15 of metadata, which lists none.
 * @throws Error unless the metadata's registry has it, and it can be decoded.
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

/** All that is asked, with what the runtime has of it. */
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

/** How what is there differs from what is asked. */
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

/** Arguments, or the keys of storage by their place. */
const argsOf = ({ args, keys = [] }: RuntimeRequest): readonly (readonly [string, TypeShape])[] =>
  args ? Object.entries(args) : keys.map((key, i) => [`key ${i + 1}`, key])

function askedText(asked: RuntimeRequest): string {
  const args = argsOf(asked).map(([name, shape]) => `${name}: ${shapeText(shape)}`)
  const value = asked.value === undefined ? '' : ` of ${shapeText(asked.value)}`
  return `(${args.join(', ')})${value}`
}

/** Names are missing where at least one of several is needed: a sentence for each such group. */
function lacks({ version }: Metadata, there: ReadonlySet<string>): readonly string[] {
  const isListed = ([what = '']: readonly string[]): boolean =>
    version >= 15 || !what.startsWith('runtime API')
  const isThere = (what: string): boolean => there.has(what)
  const isNeeded = ({ where }: (typeof NEEDS)[number]): boolean => where?.some(isThere) ?? true
  return NEEDS.filter((each) => isListed(each.need) && isNeeded(each))
    .filter(({ need }) => !need.some(isThere))
    .map(({ need, where }) => {
      const cause = where ? `, which goes with ${where.filter(isThere).join(' and ')}` : ''
      return `there is no ${need.join(', nor ')}${cause}`
    })
}

/** What must be in a signed call that this client does not know. */
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
      ({ name, type }) => `signed calls hold ${name}, unknown here: expected Null, found ${type}`,
    )
}
