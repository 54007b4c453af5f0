import { TypeDefInfo } from '@polkadot/types'
import type { Registry, TypeDef } from '@polkadot/types/types'

/**
 * What a type must be: its name as polkadot's library writes it, with `uint` for an unsigned
 * integer of any size; a list of one shape; or those fields of a record, or variants of an
 * enumeration, that are used.
 */
export type TypeShape = string | readonly [TypeShape] | { readonly [name: string]: TypeShape }

type Lookup = Registry['lookup']

/**
 * Where a type differs from its shape: the path to this place, what was expected and what was
 * found.
 */
export interface Difference {
  readonly path: string
  readonly expected: string
  readonly found: string
}

/** A type looked up by its number, without `Option` and `Compact` around it. */
export function bareType(lookup: Lookup, type: TypeDef): TypeDef {
  if (type.info === TypeDefInfo.Si) return bareType(lookup, lookup.getTypeDef(type.type as never))
  const isWrapped = type.info === TypeDefInfo.Option || type.info === TypeDefInfo.Compact
  const [inner] = isWrapped ? partsOf(type) : []
  return inner === undefined ? type : bareType(lookup, inner)
}

/**
 * The first place where a type differs from a shape; null if it does not differ. `Option` and
 * `Compact` do not count.
 */
export function differenceOf(
  lookup: Lookup,
  wrapped: TypeDef,
  shape: TypeShape,
): Difference | null {
  const type = bareType(lookup, wrapped)
  if (typeof shape === 'string') {
    if (isNamed(type.type, shape)) return null
  } else if (isList(shape)) {
    const [each] = type.info === TypeDefInfo.Vec ? partsOf(type) : []
    if (each !== undefined) return within('[]', differenceOf(lookup, each, shape[0]))
  } else if (type.info === TypeDefInfo.Struct || type.info === TypeDefInfo.Enum) {
    return differenceOfParts(lookup, type, shape)
  }
  return { path: '', expected: shapeText(shape), found: type.lookupName ?? type.type }
}

function differenceOfParts(
  lookup: Lookup,
  type: TypeDef,
  shapes: { readonly [name: string]: TypeShape },
): Difference | null {
  for (const [name, shape] of Object.entries(shapes)) {
    const path = `.${name}`
    const part = partsOf(type).find((each) => each.name === name)
    if (part === undefined) return { path, expected: shapeText(shape), found: 'nothing' }
    const difference = within(path, differenceOf(lookup, part, shape))
    if (difference !== null) return difference
  }
  return null
}

const partsOf = ({ sub = [] }: TypeDef): readonly TypeDef[] => [sub].flat()

/** A shape as a text of one line. */
export function shapeText(shape: TypeShape): string {
  if (typeof shape === 'string') return shape
  if (isList(shape)) return `Vec<${shapeText(shape[0])}>`
  const parts = Object.entries(shape).map(([name, part]) => `${name}: ${shapeText(part)}`)
  return `{ ${parts.join(', ')} }`
}

const isList = (shape: TypeShape): shape is readonly [TypeShape] => Array.isArray(shape)

/** Is this the name of the type? `Vec<Compact<u64>>` is a `Vec<uint>`, and a `Vec<u64>`. */
function isNamed(type: string, name: string): boolean {
  const plain = type.replace(/Compact<(\w+)>/g, '$1')
  return name === plain || name === plain.replace(/\bu(?:8|16|32|64|128)\b(?!;)/g, 'uint')
}

const within = (path: string, inner: Difference | null): Difference | null =>
  inner && { ...inner, path: path + inner.path }
