import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { beforeAll, describe, expect, it } from 'vitest'
import { runAf, runVerifier } from '../../../test/in-process.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { findSettings, listNames } from '../src/settings/entries.ts'
import { SETTINGS } from '../src/settings/table.ts'

/** Arguments of options that are not paths. */
const OTHERS = [
  ...['', '<n>', '<name>', '<dollars>', '<url>', '<port>', '<address>', '<epochs>', '<id...>'],
  ...['<share>', '<text>', '<number>', '<id>', '<id|url>', '<who>', '<hash>', '<ss58|uid>', '<ms>'],
]

const root = testFolder('paths')
beforeAll(async () => {
  await writeFile(join(root, 'key'), 'ab'.repeat(32), { mode: 0o600 })
})

const optionsOf = ({ options, commands }: CommandUnknownOpts): readonly Option[] => [
  ...options,
  ...commands.flatMap(optionsOf),
]
const argumentOf = (usage: string): string => usage.replace(/^[^<]*/, '')

it('expands ~ in every option whose help shows a path', async () => {
  const folder = new URL('../src/commands/', import.meta.url)
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts'))
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href)))
  const exported = modules.flatMap((module) => Object.values<CommandUnknownOpts>(module))
  const options = exported.filter((each) => each?.commands).flatMap(optionsOf)
  const paths = options.filter(({ flags }) => !OTHERS.includes(argumentOf(flags)))
  expect(paths.map(({ flags }) => flags)).toContain('--resume <file>')
  for (const { flags, parseArg } of paths)
    expect([flags, parseArg?.('~', '')]).toEqual([flags, homedir()])
})

const settings = SETTINGS.filter(({ kind }) => kind === 'path')
const ways = settings.flatMap((setting) =>
  listNames(setting).map((by) => ({ by, name: setting.name })),
)

describe.each(ways)('a setting that is a path, by $by', ({ by, name }) => {
  /** Returns the setting's value from the option or variable, and from the file of settings. */
  const found = (path: string): readonly (string | undefined)[] => {
    const given = { [by]: path }
    const isOption = by.startsWith('--')
    const all = isOption
      ? [findSettings({ [name]: path }, {}, {})]
      : [given, {}].map((env) => findSettings({}, env, given))
    return all.map((each) => each.find(({ setting }) => setting.name === name)?.value)
  }
  it('expands ~ to the home folder, and rejects the home folder of another user', () => {
    expect(new Set(found('~'))).toEqual(new Set([homedir()]))
    expect(new Set(found('~/a b'))).toEqual(new Set([join(homedir(), 'a b')]))
    for (const path of ['a/~', './~bob']) expect(new Set(found(path))).toEqual(new Set([path]))
    expect(() => found('~bob/a')).toThrow(
      `"${by}" expected an absolute path, or a path that begins with`,
    )
  })
})

const NETWORK = '--network=http://127.0.0.1:1'

describe.concurrent('an option that is a path', () => {
  it('is in the home folder if it begins with ~', async () => {
    const [cwd, home] = [await mkdtemp(join(root, 'cwd-')), await mkdtemp(join(root, 'home-'))]
    await writeFile(join(home, 's.env'), 'AFFINE_FOLDER=~/affine\nAFFINE_STALL=17\n')
    const env = { HOME: home, AFFINE_BUCKETS: '~/b' }
    const words = ['--challenges=1', '--env=mult8-v0', '--resume=~/p.jsonl']
    const played = await runAf(['practise', 'perfect', ...words], { cwd, env })
    expect([played.code, played.stderr]).toEqual([0, ''])
    expect(await readdir(home)).toContain('p.jsonl')
    const args = [NETWORK, '--settings=~/s.env', '--key', join(root, 'key')]
    const { stdout } = await runAf(['doctor', ...args], { cwd, env })
    expect(stdout).toMatch(new RegExp(`^folder +${join(home, 'affine')} `, 'm'))
    expect(stdout).toMatch(new RegExp(`^buckets +${join(home, 'b')} `, 'm'))
    expect(await readdir(cwd)).toEqual([])
    const buckets = { ...env, AFFINE_BUCKETS: '~bob/b' }
    const { stderr } = await runVerifier([NETWORK], { cwd, env: buckets })
    expect(stderr).toContain('"buckets" expected an absolute path')
  })
})
