// Packs every package with scripts/tarballs.mjs, checks the tarballs, installs them in an empty
// project, and there runs each README's example, and checks types and size as a consumer has them.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { checkSize, typeFaults } from './consumer.mjs'

const scratch = mkdtempSync(join(tmpdir(), 'affine-packages-'))
const run = (program, words, options = {}) =>
  execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options })

/**
 * The first example of a README, and what it prints by that README: in a ```text block, or in
 * comments after its lines.
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

/**
 * Throws if a tarball contains code of others without its licence. Source maps tell what tsup has
 * bundled: nothing of others. The page has a list, whose completeness its own tests check.
 */
function checkLicences(tarball, files) {
  if (!files.includes('package/LICENSE')) throw new Error(`${tarball} has no LICENSE`)
  for (const file of files.filter((path) => path.endsWith('.js.map'))) {
    const { sources } = JSON.parse(run('tar', ['-xzOf', tarball, file], { maxBuffer: 1 << 26 }))
    const foreign = sources.find((source) => source.includes('node_modules/'))
    if (foreign === undefined) continue
    throw new Error(`${tarball}: ${file} contains ${foreign}: make its package a dependency`)
  }
  if (!files.includes('package/dist/index.html')) return
  const texts = run('tar', ['-xzOf', tarball, 'package/dist/licences.txt'])
  for (const name of ['preact', '@polkadot/api', '@noble/hashes'])
    if (!texts.includes(`${name} `))
      throw new Error(`${tarball}: no licence of ${name} in its list`)
}

try {
  const manifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const folders = ['packages', 'apps']
    .flatMap((root) => readdirSync(root).map((name) => join(root, name)))
    .filter((folder) => manifest(folder).private !== true)
  const packed = join(scratch, 'tarballs')
  const env = { ...process.env, GITHUB_REPOSITORY: 'owner/name' }
  run(process.execPath, ['scripts/tarballs.mjs', packed], { env })
  const tarballOf = (folder) => {
    const { name, version } = manifest(folder)
    return join(packed, `${name.slice(1).replace('/', '-')}-${version}.tgz`)
  }
  const tarballs = folders.map(tarballOf)
  const others = readdirSync(packed).filter((name) => !tarballs.includes(join(packed, name)))
  if (others.length > 0) throw new Error(`packed, and not to be published: ${others}`)
  for (const folder of folders) {
    const tarball = tarballOf(folder)
    run('node_modules/.bin/publint', ['run', tarball, '--strict'])
    const files = run('tar', ['-tzf', tarball]).split('\n')
    checkLicences(tarball, files)
    const { repository } = JSON.parse(run('tar', ['-xzOf', tarball, 'package/package.json']))
    const url = 'git+https://github.com/owner/name.git'
    if (repository?.url !== url || repository.directory !== folder)
      throw new Error(`${tarball} names the repository ${JSON.stringify(repository)}`)
    if (folder.startsWith('packages'))
      run('node_modules/.bin/attw', [tarball, '--profile', 'esm-only', '--no-emoji'])
  }
  const small = join(scratch, 'small')
  mkdirSync(small)
  writeFileSync(join(small, 'package.json'), '{ "private": true, "type": "module" }')
  const two = ['packages/prng', 'packages/envs'].map(tarballOf)
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...two], { cwd: small })
  const [kilobytes] = run('du', ['-sk', 'node_modules'], { cwd: small }).split('\t')
  if (Number(kilobytes) > 10_000) throw new Error(`@affine/envs installs ${kilobytes} kB`)
  console.log(`@affine/envs and @affine/prng install ${kilobytes} kB`)
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
  const names = folders
    .filter((path) => path.startsWith('packages'))
    .map((path) => manifest(path).name)
  const faults = typeFaults(project, names)
  if (faults.length > 0) throw new Error(`a consumer's types do not hold:\n${faults.join('')}`)
  console.log('all of their types hold in a strict project')
  console.log(`@affine/envs has ${await checkSize(project)} bytes in a browser, gzipped`)
  for (const program of ['af', 'af-verify'])
    run(join(project, 'node_modules', '.bin', program), ['--help'])
  console.log('af and af-verify start from their tarballs')
} catch (error) {
  console.error(error.message, error.stdout ?? '', error.stderr ?? '')
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true })
}
