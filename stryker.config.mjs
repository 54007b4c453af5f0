// Mutation tests of the package or file named by MUTATE: see CONTRIBUTING.md. Not part of `npm
// test`.
const { MUTATE = '' } = process.env

export default {
  mutate: [
    MUTATE.includes('/') ? MUTATE : `packages/${MUTATE}/src/**/*.ts`,
    '!packages/prng/src/{generator,seed-words}.ts', // tested by NumPy's vectors
    '!packages/blocks/src/s3-*.ts', // their tests need an emulator
  ],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutate.config.ts', related: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true, // each of these mutants would run every test
  concurrency: 2,
  tempDirName: 'node_modules/.stryker',
  reporters: ['progress', 'clear-text'],
  clearTextReporter: { logTests: false, reportTests: false },
}
