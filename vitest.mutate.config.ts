import { defineConfig } from 'vitest/config'

const name = process.env.MUTATE
const conditions = ['@affine/source', 'module', 'node', 'development|production']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions: ['@affine/source'] } },
  test: {
    include: [
      `packages/${name}/test/**/*.test.ts`,
      ...(name === 'settlement' ? ['test/attacks/{answering,lies,reading}.test.ts'] : []),
    ],
    // Slow where every branch is counted, or of other processes.
    exclude: [
      '**/*.machine.test.ts',
      '**/{readme,simulation,calibrate-vectors,walk-vectors.both,lane-memory}.test.ts',
      '**/bucket-s3.test.ts',
    ],
    testTimeout: 60_000,
  },
})
