/** Only the BLAKE3 of hash-wasm: 10 kB gzipped, of 80 kB for all its functions. */
declare module 'hash-wasm/dist/blake3.umd.min.js' {
  const functions: { readonly createBLAKE3: typeof import('hash-wasm').createBLAKE3 }
  export default functions
}
