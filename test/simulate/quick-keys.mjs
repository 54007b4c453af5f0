// Given to a process with `--import`: quick-keys.ts for every import of @scure/sr25519.
import { register } from 'node:module'

const hooks = `
  export const resolve = (name, context, next) =>
    name === '@scure/sr25519' ? next(${JSON.stringify(new URL('./quick-keys.ts', import.meta.url).href)}, context) : next(name, context)
`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
