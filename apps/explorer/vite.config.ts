import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import { licences } from './licences.ts'

const packages = fileURLToPath(new URL('../../packages/', import.meta.url))

const { resolve } = createRequire(new URL('../../packages/prng/package.json', import.meta.url))
const BLAKE3 = 'hash-wasm/dist/blake3.umd.min.js'
const SR25519 = '@polkadot/wasm-crypto-wasm/cjs/bytes'

/** Modules that our packages import only for speed; without them, plain JavaScript runs. */
const COMPILED: Readonly<Record<string, string | { id: string; external: true }>> = {
  // prng omits it in browsers, but a page that verifies everything needs its speed.
  [BLAKE3]: resolve(BLAKE3),
  // The import of its bare name fails in a browser, so its 170 kB are not sent.
  [SR25519]: { id: SR25519, external: true },
}

/** Replaces Vite's wrapper of `import()`, which waits for styles; all our styles load first. */
const PRELOAD_ID = '\0vite/preload-helper.js'
const PRELOAD = `export const __vitePreload = (load, parts = [], base) => {
  for (const part of parts) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = new URL(part, base)
    document.head.append(link)
  }
  return load()
}`

/** Omits a module that the page does not need, and replaces Vite's wrapper of `import()`. */
const sendLess = (): Plugin => ({
  name: 'send-less',
  enforce: 'pre',
  resolveId: (source, importer = '') =>
    importer.startsWith(packages) && !importer.includes('/node_modules/') ? COMPILED[source] : null,
  load: (id) => (id === PRELOAD_ID ? PRELOAD : null),
})

/** Links to the repository whose workflow builds the page. No file contains its name. */
const linkRepository = (): Plugin => ({
  name: 'link-repository',
  transformIndexHtml: (html) => {
    const { GITHUB_REPOSITORY: name } = process.env
    const link = `<a href="https://github.com/${name}">Source code</a>`
    return name === undefined ? html : html.replace('</nav>', `${link}</nav>`)
  },
})

const { page, worker } = licences()

/** Omits comments for bundlers. */
const rolldownOptions = { output: { comments: { annotation: false } } }

/** Builds the page as a folder for any static host, below any path. */
const config: UserConfig = defineConfig({
  base: './',
  resolve: { conditions: ['@affine/source', 'module', 'browser', 'development|production'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions,
  },
  plugins: [sendLess(), linkRepository(), page],
  worker: { format: 'es', plugins: () => [sendLess(), worker], rolldownOptions },
})

export default config
