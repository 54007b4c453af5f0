import { TypeRegistry } from '@polkadot/types'
import { u8aConcat, u8aToHex } from '@polkadot/util'
import { CALLS, STORAGE, TIMELOCKED } from '../src/bittensor/runtime-faults.ts'

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** The calls that the client uses. */
export const ALL_CALLS: readonly string[] = [...CALLS, ...TIMELOCKED]

/**
 * Returns in hex the metadata of an invented runtime. Of the storage and calls that the client uses,
 * it has only `names`, each as `section.item`. All its types are empty.
 */
export function metadataOf(names: readonly string[]): `0x${string}` {
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
  const pallets = sectionsOf([...STORAGE, ...ALL_CALLS]).map((section, index) => {
    const calls = itemsOf(section, ALL_CALLS).map((call, i) => ({
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
  const extrinsic = { version: 4, signedExtensions: [] }
  const lookup = { types: defs.map((def, id) => ({ id, type: { path: [], def } })) }
  const content = { lookup, pallets, extrinsic }
  const encoded = new TypeRegistry().createType('MetadataV14', content)
  return u8aToHex(u8aConcat('meta', Uint8Array.of(14), encoded.toU8a()))
}
