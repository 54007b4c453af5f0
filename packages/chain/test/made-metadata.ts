import { TypeRegistry } from '@polkadot/types'
import { u8aConcat, u8aToHex } from '@polkadot/util'
import { CALLS, METHODS, STORAGE } from '../src/bittensor/runtime-faults.ts'

type Sections = Record<string, string[]>

/** The names of an invented runtime. All of its types are empty. */
export interface Made {
  storage: Sections
  calls: Sections
  apis: Sections
}

/** Returns all names that the client uses. */
export const wholeRuntime = (): Made => ({
  storage: sectionsOf(STORAGE),
  calls: sectionsOf(CALLS),
  apis: sectionsOf(METHODS),
})

function sectionsOf(names: readonly string[]): Sections {
  const sections: Sections = {}
  for (const [section = '', name = ''] of names.map((each) => each.split('.')))
    sections[section] = [...(sections[section] ?? []), name]
  return sections
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** Returns the metadata of a runtime, in hex. */
export function metadataOf(made: Made, version: 14 | 15 | 16): `0x${string}` {
  const defs: object[] = [{ Tuple: [] }]
  const NULL = 0
  const variants = (names: readonly string[] = []) => {
    const all = names.map((name, index) => ({ name, fields: [], index }))
    return { type: defs.push({ Variant: { variants: all } }) - 1 }
  }
  const names = new Set([made.storage, made.calls].flatMap((all) => Object.keys(all)))
  const pallets = [...names].map((name, index) => {
    const items = (made.storage[name] ?? []).map((item) => ({
      name: pascal(item),
      modifier: 'Default',
      type: { Plain: NULL },
      fallback: '0x',
    }))
    return {
      name: pascal(name),
      storage: { prefix: pascal(name), items },
      calls: variants(made.calls[name]?.map(snake)),
      index,
    }
  })
  const apis = Object.entries(made.apis).map(([name, methods]) => ({
    name: pascal(name),
    methods: methods.map((method) => ({ name: snake(method), inputs: [], output: NULL })),
  }))
  const extrinsic = {
    version: 4,
    versions: '0x0404',
    signedExtensions: [],
    transactionExtensions: [],
  }
  const lookup = { types: defs.map((def, id) => ({ id, type: { path: [], def } })) }
  const content = { lookup, pallets, apis, extrinsic }
  const encoded = new TypeRegistry().createType(`MetadataV${version}`, content)
  return u8aToHex(u8aConcat('meta', Uint8Array.of(version), encoded.toU8a()))
}
