// Checks packages as a project that installed them uses them: their types without `skipLibCheck`,
// and the size that @affine/envs adds to a page.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import ts from 'typescript'
import { promisedBytes } from './promised-bytes.mjs'

/** Matches entries that need Node. */
const NEEDS_NODE = /\/(node|directory|wallet|metrics)$/

const LIBRARIES = ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts']

/**
 * Returns the errors of strict TypeScript in the declarations of these packages: of all entries
 * with Node's types, and of entries for browsers without Node's types.
 */
export function typeFaults(project, packages) {
  const entries = packages.flatMap((name) => {
    const manifest = join(project, 'node_modules', name, 'package.json')
    const { exports } = JSON.parse(readFileSync(manifest, 'utf8'))
    return Object.keys(exports).map((path) => `${name}${path.slice(1)}`)
  })
  const forBrowsers = entries.filter((entry) => !NEEDS_NODE.test(entry))
  return [...faultsOf(project, entries, ['node']), ...faultsOf(project, forBrowsers, [])]
}

function faultsOf(project, entries, types) {
  const file = join(project, `consumer-${types.length}.ts`)
  const lines = entries.map((entry, i) => `export * as entry${i} from '${entry}'\n`)
  writeFileSync(file, lines.join(''))
  const program = ts.createProgram([file], {
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    lib: LIBRARIES,
    types,
    typeRoots: [join(import.meta.dirname, '..', 'node_modules', '@types')],
  })
  const host = {
    getCanonicalFileName: (path) => path,
    getCurrentDirectory: () => project,
    getNewLine: () => '\n',
  }
  const faults = ts.getPreEmitDiagnostics(program)
  return faults.map((fault) => ts.formatDiagnostic(fault, host))
}

/**
 * Resolves with the number of gzipped bytes of a page's script that plays with @affine/envs.
 * @throws Error unless the number is below the limit that the package's README states.
 */
export async function checkSize(project) {
  const contents =
    "import { make, play, replay, specHash } from '@affine/envs'\n" +
    'globalThis.played = [make, play, replay, specHash]\n'
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
  })
  const bytes = gzipSync(outputFiles[0].contents, { level: 9 }).length
  const most = promisedBytes(
    'packages/envs/README.md',
    /In a browser the package has less than (\d+) kB/,
  )
  if (bytes >= most)
    throw new Error(`@affine/envs has ${bytes} bytes in a browser, expected less than ${most}`)
  return bytes
}
