import { execFileSync, spawnSync } from 'node:child_process'
import { constants, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { read, root } from './repository.ts'
import { testFolder } from './test-folder.ts'

const folder = testFolder('affine-checkout')
const launcher = new URL('../scripts/pnpm.mjs', import.meta.url)
/** Makes Node believe that it runs on Windows. The shell remains this machine's. */
const WINDOWS = "Object.defineProperty(process, 'platform', { value: 'win32' })"

// A Node, and an npm that prints its arguments, in a folder with spaces in its path.
const node = join(folder, 'Program Files', 'node')
const bin = join(folder, 'Program Files', 'node_modules', 'npm', 'bin')
const [npx, npm] = [join(bin, 'npx-cli.js'), join(bin, 'npm-cli.js')]
mkdirSync(bin, { recursive: true })
copyFileSync(process.execPath, node, constants.COPYFILE_FICLONE)
const settings = '[process.env.npm_config_package, process.env.npm_config_call]'
writeFileSync(npx, `console.log(JSON.stringify([process.argv.slice(1), ${settings}]))`)

/** Returns what npm prints for a call of the launcher, with these variables set. */
function launch(call: string, platform: string, env: Record<string, string>): unknown {
  const program = `${platform}
    const { pnpm, run } = await import(${JSON.stringify(launcher)})
    ${call}`
  const { stdout, stderr } = spawnSync(node, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', comspec: '/bin/sh', ...env },
  })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

const { packageManager } = JSON.parse(read('package.json'))

it.each([
  ['next to a Node on Windows', WINDOWS, {}],
  ['that runs the script, on Windows', WINDOWS, { npm_execpath: npm }],
  ['that runs the script', '', { npm_execpath: npm }],
])('starts pnpm through the npm %s, at a path with spaces', (_, platform, env) => {
  const call = "pnpm('pack', '--pack-destination', 'my folder')"
  const words = [npx, '-y', packageManager, 'pack', '--pack-destination', 'my folder']
  expect(launch(call, platform, env)).toEqual([words, [null, null]])
})

it('starts pnpm without the package and the command given to an outer npx', () => {
  const outer = { npm_config_package: 'node@24', npm_config_call: 'npm run demo' }
  const printed = launch("pnpm('install')", '', { npm_execpath: npm, ...outer })
  expect(printed).toEqual([
    [npx, '-y', packageManager, 'install'],
    [null, null],
  ])
})

it('checks out text with line feeds and pictures unchanged, even if Git is set to write CRLF', () => {
  const clone = join(folder, 'clone')
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'core.autocrlf=true', ...words], { cwd: clone, encoding: 'utf8' })
  const files = { 'a.ts': 'a\nb\n', '.ci/run': 'c\nd\n', 'e.png': '\x89PNG\r\n\x1a\nf\n' }
  mkdirSync(join(clone, '.ci'), { recursive: true })
  copyFileSync(join(root, '.gitattributes'), join(clone, '.gitattributes'))
  for (const [path, text] of Object.entries(files)) writeFileSync(join(clone, path), text, 'latin1')
  git('init', '--quiet')
  git('add', '.')
  for (const path of Object.keys(files)) rmSync(join(clone, path))
  git('checkout', '--quiet', '--', '.')
  for (const [path, text] of Object.entries(files))
    expect(readFileSync(join(clone, path), 'latin1')).toBe(text)
})
