import { defineConfig } from 'tsup'

/** To plain JavaScript over the built packages: a loader of TypeScript would be measured, too. */
export default defineConfig({
  entry: ['bench/verify.ts'],
  format: 'esm',
  target: 'node20',
  outDir: 'node_modules/.bench',
  silent: true,
  skipNodeModulesBundle: true,
})
