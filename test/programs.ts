import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * Bundles the applications from their sources into a folder, like published programs, so that they
 * start fast. Piscina starts a file of its package as a thread, so Piscina is not bundled, and must
 * be found from that folder.
 */
export async function bundlePrograms(folder: string): Promise<void> {
  await build({
    entry: {
      af: source('../apps/validator/src/cli.ts'),
      'af-verify': source('../apps/verifier/src/cli.ts'),
      'check-block': source('../packages/settlement/src/node/check-block.ts'),
    },
    outDir: folder,
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
}
