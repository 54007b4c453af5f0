import { defineConfig } from 'tsup'

/** Builds JavaScript that imports the built packages, so that no TypeScript loader is measured. */
export default defineConfig({
  entry: ['bench/verify.ts'],
  format: 'esm',
  target: 'node20',
  outDir: 'node_modules/.bench',
  silent: true,
  skipNodeModulesBundle: true,
})
