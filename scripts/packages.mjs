// Packs every package, checks the tarballs, installs them in an empty project, and runs each
// README's example there.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'

const { packageManager } = JSON.parse(readFileSync('package.json', 'utf8'))
const scratch = mkdtempSync(join(tmpdir(), 'affine-packages-'))
const run = (program, words, options = {}) =>
  execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options })

/**
 * The first example of a README, and what it says the example prints: in a ```text block, or in
 * comments behind.
 */
function example(readme) {
  const [whole, code] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  if (code === undefined) throw new Error('a README needs an example')
  const [, block] =
    /^[^`]*```text\n([\s\S]*?)```/.exec(readme.slice(readme.indexOf(whole) + whole.length)) ?? []
  const comments = [...code.matchAll(/^console\.log.*\) \/\/ (.*)$/gm)]
    .map(([, printed]) => printed)
    .join('\n')
  return { code, printed: block ?? comments }
}

try {
  const isPublished = (folder) =>
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).private !== true
  const folders = ['packages', 'apps']
    .flatMap((root) => readdirSync(root).map((name) => join(root, name)))
    .filter(isPublished)
  const tarballs = []
  for (const folder of folders) {
    const before = new Set(readdirSync(scratch))
    run('npx', ['-y', packageManager, 'pack', '--pack-destination', scratch], { cwd: folder })
    const name = readdirSync(scratch).find((file) => !before.has(file))
    tarballs.push(join(scratch, name))
    run('node_modules/.bin/publint', ['run', join(scratch, name), '--strict'])
    if (folder.startsWith('packages')) {
      run('node_modules/.bin/attw', [join(scratch, name), '--profile', 'esm-only', '--no-emoji'])
    }
  }
  const project = join(scratch, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs], {
    cwd: project,
  })
  for (const folder of folders.filter((path) => path.startsWith('packages'))) {
    const { code, printed } = example(readFileSync(join(folder, 'README.md'), 'utf8'))
    const { outputText } = ts.transpileModule(code, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    })
    const file = join(project, `${folder.split('/')[1]}.mjs`)
    writeFileSync(file, outputText)
    const output = run(process.execPath, [file], { cwd: project })
    if (output.trim() !== printed.trim())
      throw new Error(`${folder}: the README's example prints\n${output}`)
    console.log(`${folder}: packs, installs, and its example prints what the README says`)
  }
  for (const program of ['af', 'af-verify'])
    run(join(project, 'node_modules', '.bin', program), ['--help'])
  console.log('af and af-verify start from their tarballs')
} catch (error) {
  console.error(error.message, error.stdout ?? '', error.stderr ?? '')
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true })
}
