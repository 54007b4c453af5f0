// For `node --import`: replaces every import of sr25519 by quick-keys.ts.
import { register } from 'node:module'

const keys = new URL('./quick-keys.ts', import.meta.url).href
const hooks = `
  const replaced = ['@scure/sr25519', '@polkadot/wasm-crypto-wasm/cjs/bytes']
  export const resolve = (name, context, next) =>
    next(replaced.includes(name) ? ${JSON.stringify(keys)} : name, context)
`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
