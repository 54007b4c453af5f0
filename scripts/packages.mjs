// Checks packed packages: their files and manifests and, in a project that installed them, each
// README's example, the types and the size.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import ts from 'typescript'
import { checkSize, typeFaults } from './consumer.mjs'

const run = (program, words, options = {}) =>
  execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options })

/**
 * Returns the first example of a README and its stated output, in a ```text block or in comments
 * after the example's lines.
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
 * Throws if a tarball lacks our licence or contains third-party code without its licence. No source
 * map of tsup may name third-party code. The page bundles third-party code and lists the licences;
 * the page's tests check the list.
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

/** Kinds of module resolution that packages with only ES modules do not support. */
const NOT_ESM = ['node10', 'node16-cjs']

const PAGE = 'package/dist/index.html'

/**
 * Checks the tarball of the package in `folder`.
 * @throws Error if publint or attw reports a problem, a licence is missing, or the manifest does
 *   not name the repository, or the page has no link to it.
 */
export async function checkTarball(tarball, folder) {
  const bytes = new Uint8Array(readFileSync(tarball))
  const pack = { tarball: bytes.buffer }
  const { messages } = await publint({ pack, strict: true, level: 'error' })
  if (messages.length > 0) throw new Error(`${tarball}: publint: ${JSON.stringify(messages)}`)
  checkLicences(tarball, run('tar', ['-tzf', tarball]).split('\n'))
  const { repository } = JSON.parse(run('tar', ['-xzOf', tarball, 'package/package.json']))
  const url = `git+https://github.com/${process.env.GITHUB_REPOSITORY}.git`
  if (repository?.url !== url || repository.directory !== folder)
    throw new Error(`${tarball} names ${JSON.stringify(repository)}, expected ${url}, ${folder}`)
  const link = `href="${url.slice('git+'.length, -'.git'.length)}"`
  if (folder === 'apps/explorer' && !run('tar', ['-xzOf', tarball, PAGE]).includes(link))
    throw new Error(`${tarball}: ${PAGE} has no ${link}`)
  if (!folder.startsWith('packages')) return
  const { problems = ['no types'] } = await checkPackage(createPackageFromTarballData(bytes))
  const faults = problems.filter(({ resolutionKind }) => !NOT_ESM.includes(resolutionKind))
  if (faults.length > 0) throw new Error(`${tarball}: attw: ${inspect(faults, { depth: 1 })}`)
}

/** Runs the README's example of a package in `project`. @throws Error if the output differs. */
function checkExample(project, folder) {
  const { code, printed } = example(readFileSync(join(folder, 'README.md'), 'utf8'))
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  })
  const file = join(project, `${folder.split('/')[1]}.mjs`)
  writeFileSync(file, outputText)
  const output = run(process.execPath, [file], { cwd: project })
  if (output.trim() !== printed.trim())
    throw new Error(`${folder}: the README's example prints\n${output}`)
  console.log(`${folder}: its example prints what the README says`)
}

/**
 * Checks the packages in `folders` as a consumer sees them in `project`, which installed all.
 * @throws Error for a README's example with other output, wrong types, or a bundle over its limit.
 */
export async function checkConsumer(project, folders) {
  for (const folder of folders) checkExample(project, folder)
  const names = folders.map((folder) => folder.replace('packages', '@affine'))
  const faults = typeFaults(project, names)
  if (faults.length > 0) throw new Error(`the packages' types have errors:\n${faults.join('')}`)
  console.log('the types of all packages are valid in a strict project')
  console.log(`@affine/envs has ${await checkSize(project)} bytes in a browser, gzipped`)
}

/** Checks that a project with only @affine/envs has at most 10 MB of modules. */
export function checkDiskSize(project) {
  const [kilobytes] = run('du', ['-sk', 'node_modules'], { cwd: project }).split('\t')
  if (Number(kilobytes) > 10_000) throw new Error(`@affine/envs installs ${kilobytes} kB`)
  console.log(`@affine/envs and @affine/prng install ${kilobytes} kB`)
}
