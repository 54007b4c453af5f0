/** hash-wasm's BLAKE3 alone: 10 kB gzipped, of 80 that all its functions are. */
declare module 'hash-wasm/dist/blake3.umd.min.js' {
  const functions: { readonly createBLAKE3: typeof import('hash-wasm').createBLAKE3 }
  export default functions
}
