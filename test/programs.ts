import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * The applications as the programs that users start, bundled from their sources, since many of them
 * are started. Gives the folder that they are in until this process ends.
 */
export async function bundlePrograms(): Promise<string> {
  // Piscina starts a file of its own: it stays a package, which is found from here.
  const modules = source('../packages/settlement/node_modules')
  const programs = mkdtempSync(join(modules, '.programs-'))
  process.once('exit', () => rmSync(programs, { recursive: true, force: true }))
  await build({
    entry: {
      af: source('../apps/validator/src/cli.ts'),
      'af-verify': source('../apps/verifier/src/cli.ts'),
      'check-block': source('../packages/settlement/src/node/check-block.ts'),
    },
    outDir: programs,
    format: 'esm',
    target: 'node20',
    splitting: true,
    external: ['piscina'],
    noExternal: [/^(?!piscina$)/],
    config: false,
    silent: true,
    banner: {
      js:
        "import { createRequire } from 'node:module'; " +
        'const require = createRequire(import.meta.url)',
    },
    esbuildOptions: (options) => {
      options.conditions = ['@affine/source', 'import', 'node']
    },
  })
  return programs
}

/** Before all tests: they share these programs. */
export default async function setup(): Promise<void> {
  process.env.TESTED_PROGRAMS = await bundlePrograms()
}
