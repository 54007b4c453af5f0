// Adds the environment of docs/adding-an-environment.md to a copy of the project, in one file and
// two lines, and tests it.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/** What is not of the project; some of it is written while this is copied. */
const LEFT_OUT =
  /^(\.git|\.turbo|\.venv|api|node_modules)$|(^|\/)(dist|__pycache__|\.\w+_cache|\w+\.egg-info)$/
const root = realpathSync('.')
const copy = join(mkdtempSync(join(tmpdir(), 'affine-third-')), 'affine')

const page = readFileSync('docs/adding-an-environment.md', 'utf8')
const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block)
const [file, registered, , constant] = blocks
const [imported, listed] = registered.trim().split('\n\n')

/** Changes a file of the copy; what is looked for must be there. */
function edit(path, pattern, replacement) {
  const text = readFileSync(join(copy, path), 'utf8')
  const edited = text.replace(pattern, replacement)
  if (edited === text) throw new Error(`${path} has nothing like ${pattern}`)
  writeFileSync(join(copy, path), edited)
}

function run(program, ...words) {
  const { status } = spawnSync(join('node_modules', '.bin', program), words, {
    cwd: copy,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}`)
}

try {
  cpSync('.', copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !LEFT_OUT.test(relative('.', path)),
  })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  writeFileSync(join(copy, 'packages/envs/src/sort5.ts'), file)
  edit('packages/envs/src/registry.ts', /^/, `${imported}\n`)
  edit('packages/envs/src/registry.ts', /^const BUILT_IN.*$/m, listed)
  edit(
    'packages/duel/src/protocol.ts',
    /(envs: .*\n(?:.*\n)*?)(\s*\}\))/,
    `$1    ${constant.trim()}\n$2`,
  )

  run('biome', 'check', '--write', 'packages/envs/src/registry.ts', 'packages/duel/src/protocol.ts')
  run('biome', 'check', '--error-on-warnings', 'packages/envs', 'packages/duel')
  run('tsc', '-p', '.')
  const tests = ['packages/envs', 'packages/duel', 'packages/settlement', 'test/protocol']
  // What af explain and the page say of it.
  tests.push('packages/report', 'apps/explorer/test/answers')
  run('vitest', 'run', '--project', 'node', ...tests, 'spec-hashes', 'subnet.test')
  console.log('a third environment: one file, one line in the registry, one in the constants')
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(join(copy, '..'), { recursive: true })
}
