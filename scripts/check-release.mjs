// Rehearses releases in a copy of the project, on a local registry: 0.1.0 of all packages, a patch
// of the environments, and a minor version with a second version of an environment. The commands of
// GitHub's workflow publish and tag them. After each release, `npm update` must leave one copy of
// each package, and af-verify must accept the evidence of af 0.1.0.
import { execFile, execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { copyOf } from './copy.mjs'
import { checkConsumer, checkDiskSize, checkTarball } from './packages.mjs'
import { openRegistry } from './registry.mjs'

const scratch = mkdtempSync(join(tmpdir(), 'affine-release-'))
const [tags, refusal, project] = ['tags', 'refusal', 'project'].map((name) => join(scratch, name))
/** A stand-in for GitHub's client that stores tags in a file, but none while `refusal` exists. */
const GH = `#!/bin/sh
case "$2" in
  */git/ref/tags/*) grep -q "^\${2##*/git/ref/tags/} " '${tags}' ;;
  */git/refs) [ ! -e '${refusal}' ] && echo "\${4#ref=refs/tags/} \${6#sha=}" >> '${tags}' ;;
  *) exit 9 ;;
esac
`

// Packed manifests name a repository and a commit only if this variable is set.
process.env.GITHUB_REPOSITORY = 'owner/name'
process.env.PATH = `${join(scratch, 'bin')}:${process.env.PATH}`
const { copy, write, edit, run, pnpm } = copyOf(scratch)
const registry = await openRegistry()
/** Runs a program while this process serves the registry. Resolves with its output. */
const start = async (cwd, program, ...words) => {
  const { stdout } = await promisify(execFile)(program, words, { cwd, maxBuffer: 1 << 26 })
  return stdout
}
const git = (...words) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
    cwd: copy,
    encoding: 'utf8',
  }).trim()

/** Throws unless the two values are equal as JSON. */
function expectSame(what, value, wanted) {
  const [is, want] = [value, wanted].map((each) => JSON.stringify(each))
  if (is !== want) throw new Error(`${what}: expected ${want}, got ${is}`)
}

/** Returns the manifests of published packages, each with its folder. */
function manifests() {
  return ['packages', 'apps']
    .flatMap((root) => readdirSync(join(copy, root)).map((name) => join(root, name)))
    .map((folder) => ({
      folder,
      ...JSON.parse(readFileSync(join(copy, folder, 'package.json'), 'utf8')),
    }))
    .filter((manifest) => manifest.private !== true)
}

/** Returns the names and versions of published packages. */
const versions = () => manifests().map(({ name, version }) => `${name}@${version}`)

/** Creates a folder in which npm uses the registry. */
function npmFolder(path) {
  mkdirSync(path)
  const place = registry.url.replace('http:', '')
  writeFileSync(
    join(path, '.npmrc'),
    `@affine:registry=${registry.url}\n${place}/:_authToken=none\naudit=false\nfund=false\n`,
  )
  return path
}

/** Applies the changesets, then builds and packs. Returns the folder of the tarballs. */
function pack() {
  const before = versions()
  run('changeset', 'version')
  git('add', '.')
  git('commit', '--quiet', '--message', 'release')
  const released = versions().filter((version) => !before.includes(version))
  const filters = released.map((version) => `--filter=${version.replace(/@[^@]*$/, '')}`)
  const folder = npmFolder(join(scratch, git('rev-parse', 'HEAD')))
  if (released.length === before.length) {
    run(process.execPath, 'scripts/tarballs.mjs', folder)
    return { folder, released }
  }
  pnpm(...filters, 'build')
  const hooks = '--config.pnpmfile=scripts/pack-hooks.mjs'
  pnpm(hooks, ...filters, 'pack', '--silent', '--pack-destination', folder)
  return { folder, released }
}

/**
 * Publishes and tags tarballs with the workflow's commands. GitHub refuses the first tag, and the
 * workflow runs again at a later commit.
 */
async function publish({ folder, released }) {
  const workflow = parse(readFileSync('.github/workflows/release.yml', 'utf8'))
  const { run: script } = workflow.jobs.publish.steps.find(({ env }) => env?.GH_TOKEN)
  const commit = git('rev-parse', 'HEAD')
  const lines = () => readFileSync(tags, 'utf8').trim().split('\n').filter(Boolean)
  const before = lines()
  const runAt = (sha) => {
    process.env.GITHUB_SHA = sha
    return start(folder, 'bash', '-e', '-c', script)
  }
  writeFileSync(refusal, '')
  const isRefused = await runAt(commit).catch(() => true)
  expectSame('a run whose first tag is refused fails', isRefused, true)
  rmSync(refusal)
  const later = 'f'.repeat(40)
  await runAt(later)
  const [first, ...others] = released.toSorted()
  const made = [`${first} ${commit}`, ...others.map((version) => `${version} ${later}`)]
  expectSame('tags', lines().slice(before.length), made)
}

/** Updates the packages in `project`, and verifies the evidence that af 0.1.0 wrote. */
async function upgrade() {
  await start(project, 'npm', 'update')
  const installed = readdirSync(project, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(^|\/)node_modules\/@affine\/[^/]+\/package\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(join(project, path), 'utf8')))
    .map(({ name, version }) => `${name}@${version}`)
  expectSame('installed packages', installed.sort(), versions().sort())
  const program = (name) => join(project, 'node_modules', '.bin', name)
  if (!existsSync(join(project, 'evidence')))
    await start(project, program('af'), 'demo', '--seed', '7', '--out', 'evidence')
  const evidence = ['evidence/buckets', '--network', 'evidence/chain.json']
  await start(project, program('af-verify'), ...evidence)
  const version = await start(project, program('af-verify'), '--version')
  expectSame('af-verify', `@affine/verifier@${version.trim()}`, versions().at(-1))
}

/** Checks the tarballs, and `project`, which has installed them. */
async function checkPackages(folder) {
  const packages = manifests()
  const tarballs = packages.map(({ name, version }) => {
    return `${name.slice(1).replace('/', '-')}-${version}.tgz`
  })
  const packed = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  expectSame('tarballs', packed.sort(), tarballs.toSorted())
  for (const [i, { folder: place }] of packages.entries())
    await checkTarball(join(folder, tarballs[i]), place)
  const places = packages.map((each) => each.folder)
  await checkConsumer(
    project,
    places.filter((place) => place.startsWith('packages')),
  )
  const small = npmFolder(join(scratch, 'small'))
  await start(small, 'npm', 'install', '--ignore-scripts', '@affine/envs')
  checkDiskSize(small)
}

async function release(name, changeset) {
  if (changeset) write('.changeset/rehearsal.md', changeset)
  const packed = pack()
  console.log(`${name}: ${packed.released.join(' ')}`)
  await publish(packed)
  await upgrade()
  return packed
}

/** Adds an environment's next version as in docs/adding-an-environment.md. */
function addVersion() {
  const source = readFileSync('packages/envs/src/tictactoe.ts', 'utf8')
  write('packages/envs/src/tictactoe-2.ts', source.replace("version: '0.1.0'", "version: '0.2.0'"))
  const path = 'packages/envs/src/registry.ts'
  edit(path, /^/, "import { tictactoe as tictactoe2 } from './tictactoe-2.ts'\n")
  edit(path, /^(for \(const spec of \[)/m, '$1tictactoe2, ')
  run('biome', 'check', '--write', path)
}

try {
  mkdirSync(join(scratch, 'bin'))
  writeFileSync(join(scratch, 'bin', 'gh'), GH)
  chmodSync(join(scratch, 'bin', 'gh'), 0o755)
  writeFileSync(tags, '')
  npmFolder(project)
  const names = ['blocks', 'envs', 'settlement', 'validator', 'verifier']
  const dependencies = Object.fromEntries(names.map((name) => [`@affine/${name}`, 'latest']))
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  )
  git('init', '--quiet', '--initial-branch', 'main')
  const first = await release('0.1.0 of all packages')
  expectSame('the first release', first.released, versions())
  await checkPackages(first.folder)

  edit('packages/envs/src/registry.ts', '/** Every registered', '/** Rehearsed. Every registered')
  const changeset = '---\n"@affine/envs": patch\n---\n\nA comment changed.\n'
  const patch = await release('a patch', changeset)
  expectSame('a patch', patch.released, ['@affine/envs@0.1.1'])

  addVersion()
  const dependents = manifests().filter(({ dependencies }) => dependencies?.['@affine/envs'])
  const next = ['@affine/envs@0.2.0', ...dependents.map(({ name }) => `${name}@0.1.1`)]
  const minor = '---\n"@affine/envs": minor\n---\n\nTic-tac-toe got a new version.\n'
  const { released } = await release('a minor version', minor)
  expectSame('a minor version', released.sort(), next.sort())
  const program = `import { make, registry } from '@affine/envs'
    console.log(make('tictactoe-v0').spec.id, registry.has('tictactoe@0.1.0'))`
  const printed = await start(project, process.execPath, '--input-type=module', '-e', program)
  expectSame('the environments', printed.trim(), 'tictactoe@0.2.0 true')
  // Changesets wrote the changelogs, which now contain every release.
  run('biome', 'check', '--error-on-warnings', ...git('ls-files', '*/CHANGELOG.md').split('\n'))
} catch (error) {
  console.error(error.message, error.stdout ?? '', error.stderr ?? '')
  process.exitCode = 1
} finally {
  registry.close()
  rmSync(scratch, { recursive: true })
}
