import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin, type UserConfig } from 'vite'

/** Imported by our packages for speed alone: where it is not, plain JavaScript says the same. */
const COMPILED = ['hash-wasm', '@polkadot/wasm-crypto']
const packages = fileURLToPath(new URL('../../packages/', import.meta.url))

/** The page's policy lets nothing compile, so what is to be compiled is not brought along. */
const noWebAssembly = (): Plugin => ({
  name: 'no-webassembly',
  enforce: 'pre',
  resolveId: (source, importer = '') => {
    if (!COMPILED.includes(source) || !importer.startsWith(packages)) return null
    return importer.includes('/node_modules/') ? null : '\0no-webassembly'
  },
  load: (id) => (id === '\0no-webassembly' ? 'throw new Error("no WebAssembly here")' : null),
})

/** The page as a folder of files that any static host serves, below any path. */
const config: UserConfig = defineConfig({
  base: './',
  resolve: { conditions: ['@affine/source', 'module', 'browser', 'development|production'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: { target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  plugins: [noWebAssembly()],
  worker: { format: 'es', plugins: () => [noWebAssembly()] },
})

export default config
