import type { Metadata } from '@polkadot/types'
import type { PalletMetadataLatest } from '@polkadot/types/interfaces'
import type { TypeDef } from '@polkadot/types/types'
import { stringCamelCase } from '@polkadot/util'

/** What a runtime has under one name. */
export interface RuntimeEntry {
  /** The keys of a storage item, named by their position; else the arguments. */
  readonly args: readonly (readonly [name: string, type: TypeDef])[]
  /** The type of what is read: a value, an answer, an event's first field. A call has none. */
  readonly value: TypeDef | undefined
}

export type RuntimeEntryKind = 'storage' | 'call' | 'runtime API' | 'constant' | 'event'

/** Where a name is: in a pallet, or in a runtime API. */
export interface RuntimePlace {
  readonly kind: RuntimeEntryKind
  readonly section: string
  readonly name: string
}

type TypeId = Parameters<Metadata['registry']['lookup']['getTypeDef']>[0]
type TypeField = { readonly name: { toString(): string }; readonly type: TypeId }

/** What the runtime has at this place; undefined if nothing. Names are in camel case. */
export function entryOf(
  metadata: Metadata,
  { kind, section, name }: RuntimePlace,
): RuntimeEntry | undefined {
  const { apis, pallets } = metadata.asLatest
  if (kind === 'runtime API') {
    const method = named(named(apis, section)?.methods ?? [], name)
    if (method === undefined) return undefined
    const args = method.inputs.map((input) => argOf(metadata, input))
    return { args, value: typeOf(metadata, method.output) }
  }
  const pallet = named(pallets, section)
  return pallet && ENTRY_OF[kind](metadata, pallet, name)
}

type Find = (
  metadata: Metadata,
  pallet: PalletMetadataLatest,
  name: string,
) => RuntimeEntry | undefined

const ENTRY_OF: Readonly<Record<Exclude<RuntimeEntryKind, 'runtime API'>, Find>> = {
  storage(metadata, pallet, name) {
    const type = named(pallet.storage.unwrapOr(null)?.items ?? [], name)?.type
    if (type === undefined) return undefined
    if (type.isPlain) return { args: [], value: typeOf(metadata, type.asPlain) }
    const { hashers, key, value } = type.asMap
    const keys = typeOf(metadata, key)
    const each = hashers.length === 1 ? [keys] : [keys.sub ?? []].flat()
    return {
      args: each.map((type, i) => [`key ${i + 1}`, type]),
      value: typeOf(metadata, value),
    }
  },
  constant(metadata, pallet, name) {
    const constant = named(pallet.constants, name)
    return constant && { args: [], value: typeOf(metadata, constant.type) }
  },
  call(metadata, pallet, name) {
    const fields = variant(metadata, pallet.calls.unwrapOr(null)?.type, name)
    return fields && { args: fields.map((field) => argOf(metadata, field)), value: undefined }
  },
  event(metadata, pallet, name) {
    const fields = variant(metadata, pallet.events.unwrapOr(null)?.type, name)
    const [first] = fields ?? []
    return fields && { args: [], value: first && typeOf(metadata, first.type) }
  },
}

/** The fields of a call or an event, which is a variant of its pallet's enumeration. */
function variant(
  { registry }: Metadata,
  type: TypeId | undefined,
  name: string,
): readonly TypeField[] | undefined {
  if (type === undefined) return undefined
  const { variants } = registry.lookup.getSiType(type).def.asVariant
  return named(variants, name)?.fields.map((field) => ({
    name: field.name.unwrapOr(''),
    type: field.type,
  }))
}

const typeOf = ({ registry }: Metadata, id: TypeId): TypeDef => registry.lookup.getTypeDef(id)

const argOf = (metadata: Metadata, { name, type }: TypeField): RuntimeEntry['args'][number] => [
  stringCamelCase(name.toString()),
  typeOf(metadata, type),
]

function named<T extends { readonly name: { toString(): string } }>(
  all: Iterable<T>,
  name: string,
): T | undefined {
  return [...all].find((each) => stringCamelCase(each.name.toString()) === name)
}
