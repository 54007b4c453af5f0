import { Metadata, TypeRegistry } from '@polkadot/types'
import { u8aToHex } from '@polkadot/util'
import { checkMetadata } from '../src/bittensor/node-message.ts'

/**
 * Reads metadata in SCALE: raw, in hex, or in hex as a node's answer in JSON-RPC. The length and
 * the byte for Some, which a runtime's answer has (`Metadata_metadata_at_version`), may precede it.
 * @throws Error for anything else.
 */
export function readMetadata(file: Uint8Array): Metadata {
  const text = Buffer.from(file).toString('latin1')
  const [, digits] = /^\s*(?:["{].*?")?0x((?:[\da-f]{2})+)/is.exec(text) ?? []
  const bytes = Buffer.from(digits ?? text, digits === undefined ? 'latin1' : 'hex')
  // The byte for Some, and a compact length of at most four bytes, may precede the metadata.
  const start = bytes.subarray(0, 9).indexOf('meta')
  if (start === -1)
    throw new Error('expected metadata in SCALE, raw or in hex: no "meta" begins it')
  const hex = u8aToHex(bytes.subarray(start))
  checkMetadata('state_getMetadata', [], hex)
  const registry = new TypeRegistry()
  const metadata = new Metadata(registry, hex)
  const got = bytes.length - start
  if (metadata.encodedLength !== got)
    throw new Error(`expected ${metadata.encodedLength} bytes, got ${got}: is it whole?`)
  registry.setMetadata(metadata)
  return metadata
}
