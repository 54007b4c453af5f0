import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The package that MUTATE names, directly or by a file. */
const name = process.env.MUTATE?.replace(/^packages\/([^/]+)\/.*/, '$1')
const conditions = ['@affine/source', 'module', 'node', 'development|production']

/** Duration of each file's tests before any mutation, in milliseconds. */
const took = new Map<string, number>()

/**
 * Puts files that mock a module first, because a mock does not apply to modules that are loaded
 * already; then files that failed in the previous run, as most fail again; then the fastest files.
 */
class LikeliestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranks = files.map((file) => {
      const key = `${file.project.name}:${relative(this.ctx.config.root, file.moduleId)}`
      const { failed, duration } = this.ctx.cache.getFileTestResults(key) ?? {}
      if (duration && !took.has(key)) took.set(key, duration)
      if (/\bvi\.mock\(/.test(readFileSync(file.moduleId, 'utf8'))) return { file, rank: -1 }
      return { file, rank: failed ? 0 : (took.get(key) ?? 0) }
    })
    return ranks.sort((a, b) => a.rank - b.rank).map(({ file }) => file)
  }
}

/**
 * Resolves imports of our packages to the copies in Stryker's sandbox. Its node_modules link to the
 * original packages, and a class and its copy would not be the same.
 */
const ownSources: Plugin = {
  name: 'own-sources',
  enforce: 'pre',
  async resolveId(source, importer) {
    if (!source.startsWith('@affine/')) return undefined
    const found = await this.resolve(source, importer, { skipSelf: true })
    return found?.id.replace(/^.*(?=\/packages\/)/, process.cwd())
  },
}

export default defineConfig({
  plugins: [ownSources],
  resolve: { conditions },
  ssr: { resolve: { conditions: ['@affine/source'] } },
  test: {
    include: [
      `packages/${name}/test/**/*.test.ts`,
      ...(name === 'settlement' ? ['test/attacks/answering.test.ts'] : []),
    ],
    // These are slow with coverage, or start other processes.
    exclude: [
      '**/*.machine.test.ts',
      '**/{readme,simulation,guarantees,calibrate-vectors,walk-vectors.both,lane-memory}.test.ts',
      '**/bucket-s3.test.ts',
    ],
    testTimeout: 60_000,
    // Loading all modules again for each file would take longer than most tests.
    isolate: false,
    sequence: { sequencer: LikeliestFirst },
    setupFiles: ['test/without-shrinking.ts'],
    // Stryker's setup is in node_modules and has to run for each file.
    server: { deps: { inline: [/stryker-setup/] } },
  },
})
