import { Metadata, TypeRegistry } from '@polkadot/types'
import { u8aToHex } from '@polkadot/util'
import { checkMetadata } from '../src/bittensor/node-message.ts'

/**
 * Reads metadata in SCALE: raw, in hex, or in hex as a node's answer in JSON-RPC. The length and
 * the byte for Some, which a runtime's answer has (`Metadata_metadata_at_version`), may precede it.
 * @throws Error for anything else.
 */
export function readMetadata(file: Uint8Array): Metadata {
  const bytes = bytesOf(Buffer.from(file))
  // The byte for Some, and a compact length of at most four bytes, may precede the metadata.
  const start = bytes.subarray(0, 9).indexOf('meta')
  if (start === -1)
    throw new Error('expected metadata in SCALE, raw or in hex: no "meta" begins it')
  const hex = u8aToHex(bytes.subarray(start))
  checkMetadata('state_getMetadata', [], hex)
  const registry = new TypeRegistry()
  const metadata = new Metadata(registry, hex)
  if (metadata.encodedLength !== bytes.length - start)
    throw new Error(
      `expected ${metadata.encodedLength} bytes, got ${bytes.length - start}: is it whole?`,
    )
  registry.setMetadata(metadata)
  return metadata
}

function bytesOf(file: Buffer): Buffer {
  const text = file.toString('latin1').trim()
  const [, hex] = /^0x((?:[\da-f]{2})+)$/i.exec(isJson(text) ? textIn(text) : text) ?? []
  return hex === undefined ? file : Buffer.from(hex, 'hex')
}

const isJson = (text: string): boolean => /^["{]/.test(text)

/** Returns a string in JSON, or the result of a node's answer. */
function textIn(json: string): string {
  const value: unknown = JSON.parse(json)
  return typeof value === 'string' ? value : String((value as { result?: unknown }).result)
}
