import { TypeRegistry } from '@polkadot/types'
import { u8aConcat, u8aToHex } from '@polkadot/util'
import { CALLS, METHODS, STORAGE } from '../src/bittensor/runtime-faults.ts'

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/**
 * Returns in hex the metadata of an invented runtime. Of the items that the client uses, it has only
 * `names`, each as `section.item`. All its types are empty.
 */
export function metadataOf(names: readonly string[], version: 14 | 15 | 16): `0x${string}` {
  const defs: object[] = [{ Tuple: [] }]
  const EMPTY = 0
  const sectionsOf = (items: readonly string[]) => {
    const sections = items.filter((each) => names.includes(each)).map((each) => each.split('.')[0]!)
    return [...new Set(sections)]
  }
  const itemsOf = (section: string, items: readonly string[]) => {
    const paths = items.filter((each) => names.includes(each)).map((each) => each.split('.'))
    return paths.filter(([first]) => first === section).map(([, item]) => item!)
  }
  const pallets = sectionsOf([...STORAGE, ...CALLS]).map((section, index) => {
    const calls = itemsOf(section, CALLS).map((call, i) => ({
      name: snake(call),
      fields: [],
      index: i,
    }))
    const entry = { modifier: 'Default', type: { Plain: EMPTY }, fallback: '0x' }
    const items = itemsOf(section, STORAGE).map((item) => ({ name: pascal(item), ...entry }))
    return {
      name: pascal(section),
      storage: { prefix: pascal(section), items },
      calls: { type: defs.push({ Variant: { variants: calls } }) - 1 },
      index,
    }
  })
  const apis = sectionsOf(METHODS).map((section) => {
    const methods = itemsOf(section, METHODS).map(snake)
    return {
      name: pascal(section),
      methods: methods.map((name) => ({ name, inputs: [], output: EMPTY })),
    }
  })
  const extensions = { signedExtensions: [], transactionExtensions: [] }
  const extrinsic = { version: 4, versions: '0x0404', ...extensions }
  const lookup = { types: defs.map((def, id) => ({ id, type: { path: [], def } })) }
  const content = { lookup, pallets, apis, extrinsic }
  const encoded = new TypeRegistry().createType(`MetadataV${version}`, content)
  return u8aToHex(u8aConcat('meta', Uint8Array.of(version), encoded.toU8a()))
}
