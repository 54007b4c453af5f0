// Mutation tests of the package or file that MUTATE names: see CONTRIBUTING.md. Not part of `npm test`.
const { MUTATE = '' } = process.env

export default {
  mutate: [
    MUTATE.includes('/') ? MUTATE : `packages/${MUTATE}/src/**/*.ts`,
    '!packages/prng/src/{generator,seed-words}.ts', // NumPy's vectors hold them
    '!packages/blocks/src/s3-*.ts', // their tests need an emulator
  ],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutate.config.ts', related: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true, // every test would run for each of them
  concurrency: 2,
  tempDirName: 'node_modules/.stryker',
  reporters: ['progress', 'clear-text'],
  clearTextReporter: { logTests: false, reportTests: false },
}
