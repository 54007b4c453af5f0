import { TypeRegistry } from '@polkadot/types'
import { u8aConcat, u8aToHex } from '@polkadot/util'
import { APIS, CALLS, EVENTS, STORAGE } from '../src/bittensor/asked-of-runtime.ts'
import type { TypeShape } from '../src/bittensor/type-shape.ts'
import { shapeText } from '../src/bittensor/type-shape.ts'

/** What a made-up runtime has: as what is asked of one, but all of it is there. */
export interface Made {
  storage: Record<string, Record<string, { keys: readonly string[]; value: TypeShape }>>
  calls: Record<string, Record<string, { args: Record<string, TypeShape> }>>
  apis: Record<string, Record<string, { args: Record<string, TypeShape>; value: TypeShape }>>
  events: Record<string, Record<string, { value: TypeShape }>>
  /** What signed calls hold, with its type. */
  extensions: Record<string, TypeShape>
}

/** All that is asked of a runtime. */
export const wholeRuntime = (): Made =>
  structuredClone({
    storage: STORAGE,
    calls: CALLS,
    apis: APIS,
    events: EVENTS,
    extensions: { CheckNonce: 'u32', Unheard: 'Null' },
  }) as unknown as Made

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** Types as metadata has them, each by its number. */
class Types {
  readonly defs: { path: string[]; def: object }[] = []
  readonly #ids = new Map<string, number>()

  of(shape: TypeShape): number {
    const text = shapeText(shape)
    const known = this.#ids.get(text)
    if (known !== undefined) return known
    const { path = [], def } = this.#made(shape)
    this.#ids.set(text, this.defs.push({ path, def }) - 1)
    return this.defs.length - 1
  }

  /** An enumeration of calls or events, by the fields of each. */
  variants(all: readonly (readonly [name: string, fields: Readonly<Record<string, TypeShape>>])[]) {
    const variants = all.map(([name, fields], index) => {
      const each = Object.entries(fields).map(([field, shape]) => ({
        name: snake(field),
        type: this.of(shape),
      }))
      return { name, fields: each, index }
    })
    return this.defs.push({ path: [], def: { Variant: { variants } } }) - 1
  }

  #made(shape: TypeShape): { path?: string[]; def: object } {
    if (typeof shape !== 'string') return { def: this.#compound(shape) }
    const [, inner] = /^Vec<(.*)>$/.exec(shape) ?? []
    if (inner !== undefined) return { def: { Sequence: { type: this.of(inner) } } }
    const [, sized] = /^\[u8;(\d+)\]$/.exec(shape) ?? []
    const bytes = (len: number) => ({ Array: { len, type: this.of('u8') } })
    if (sized !== undefined) return { def: bytes(Number(sized)) }
    if (shape === 'Bytes') return { def: { Sequence: { type: this.of('u8') } } }
    if (shape === 'Null') return { def: { Tuple: [] } }
    if (shape.startsWith('('))
      return {
        def: {
          Tuple: shape
            .slice(1, -1)
            .split(',')
            .map((part) => this.of(part)),
        },
      }
    const paths: Record<string, string[]> = {
      AccountId32: ['sp_core', 'crypto', 'AccountId32'],
      H256: ['primitive_types', 'H256'],
    }
    const path = paths[shape]
    const fields = [{ type: path ? this.of('[u8;32]') : 0 }]
    if (path) return { path, def: { Composite: { fields } } }
    return { def: { Primitive: shape === 'uint' ? 'U64' : pascal(shape) } }
  }

  #compound(shape: Exclude<TypeShape, string>): object {
    if (Array.isArray(shape)) return { Sequence: { type: this.of(shape[0] as TypeShape) } }
    const parts = Object.entries(shape).map(([name, part]) => ({ name, type: this.of(part) }))
    // Records have small names; kinds begin with a capital.
    if (!/^[A-Z]/.test(parts[0]?.name ?? ''))
      return { Composite: { fields: parts.map((part) => ({ ...part, name: snake(part.name) })) } }
    const variants = parts.map(({ name, type }, index) => ({ name, fields: [{ type }], index }))
    return { Variant: { variants } }
  }
}

/** Metadata of a runtime, in hex. */
export function metadataOf(made: Made, version: 14 | 15 | 16): `0x${string}` {
  const types = new Types()
  const names = new Set([made.storage, made.calls, made.events].flatMap((all) => Object.keys(all)))
  const pallets = [...names].map((name, index) => {
    const items = Object.entries(made.storage[name] ?? {}).map(([item, { keys, value }]) => ({
      name: pascal(item),
      modifier: 'Default',
      type: entryType(types, keys, value),
      fallback: '0x',
    }))
    const calls = Object.entries(made.calls[name] ?? {}).map(
      ([call, { args }]) => [snake(call), args] as const,
    )
    const events = Object.entries(made.events[name] ?? {}).map(
      ([event, { value }]) => [pascal(event), { value }] as const,
    )
    return {
      name: pascal(name),
      storage: { prefix: pascal(name), items },
      calls: { type: types.variants(calls) },
      events: { type: types.variants(events) },
      index,
    }
  })
  const apis = Object.entries(made.apis).map(([name, methods]) => ({
    name: pascal(name),
    methods: Object.entries(methods).map(([method, { args, value }]) => ({
      name: snake(method),
      inputs: Object.entries(args).map(([arg, shape]) => ({
        name: snake(arg),
        type: types.of(shape),
      })),
      output: types.of(value),
    })),
  }))
  const extensions = Object.entries(made.extensions).map(([identifier, shape]) => ({
    identifier,
    type: types.of(shape),
    additionalSigned: types.of('Null'),
    implicit: types.of('Null'),
  }))
  const extrinsic = {
    version: 4,
    versions: '0x0404',
    signedExtensions: extensions,
    transactionExtensions: extensions,
  }
  const lookup = { types: types.defs.map((type, id) => ({ id, type })) }
  const content = { lookup, pallets, apis, extrinsic }
  const encoded = new TypeRegistry().createType(`MetadataV${version}`, content)
  return u8aToHex(u8aConcat('meta', Uint8Array.of(version), encoded.toU8a()))
}

function entryType(types: Types, keys: readonly string[], value: TypeShape): object {
  if (keys.length === 0) return { Plain: types.of(value) }
  const key = types.of(keys.length === 1 ? (keys[0] ?? '') : `(${keys.join(',')})`)
  return { Map: { hashers: keys.map(() => 'Identity'), key, value: types.of(value) } }
}
