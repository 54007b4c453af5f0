/** Exports of hash-wasm's BLAKE3. */
interface Exports extends WebAssembly.Exports {
  readonly memory: WebAssembly.Memory
  readonly Hash_GetBuffer: () => number
  readonly Hash_Init: (keyBytes: number) => void
  readonly Hash_Update: (bytes: number) => void
  readonly Hash_Final: (bytes: number) => void
}

const BUFFER_BYTES = 16_384
const HASH_BYTES = 32

/**
 * Creates the hasher that prng needs from `packed`: hash-wasm's WebAssembly, gzipped and in Base64.
 */
export async function createHasher(packed: string) {
  const gzipped = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0))
  const unpacked = new Blob([gzipped]).stream().pipeThrough(new DecompressionStream('gzip'))
  const bytes = await new Response(unpacked).arrayBuffer()
  const { instance } = await WebAssembly.instantiate(bytes)
  const wasm = instance.exports as Exports
  const buffer = new Uint8Array(wasm.memory.buffer, wasm.Hash_GetBuffer(), BUFFER_BYTES)
  return {
    init: () => wasm.Hash_Init(0),
    update: (data: Uint8Array) => {
      for (let at = 0; at < data.length; at += BUFFER_BYTES) {
        const part = data.subarray(at, at + BUFFER_BYTES)
        buffer.set(part)
        wasm.Hash_Update(part.length)
      }
    },
    digest: () => {
      wasm.Hash_Final(HASH_BYTES)
      return buffer.slice(0, HASH_BYTES)
    },
  }
}
