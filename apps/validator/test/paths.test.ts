import { mkdtemp, readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { expect, it } from 'vitest'
import { runAf, runVerifier } from '../../../test/in-process.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { findSettings, listNames } from '../src/settings/entries.ts'
import { SETTINGS } from '../src/settings/table.ts'
import { writeIn } from './commands.ts'

/** Arguments of options that are not paths. */
const OTHERS = [
  ...['', '<n>', '<name>', '<dollars>', '<url>', '<port>', '<address>', '<epochs>', '<id...>'],
  ...['<share>', '<text>', '<number>', '<id>', '<id|url>', '<who>', '<hash>', '<ss58|uid>', '<ms>'],
]

const root = testFolder('paths')

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

const ways = SETTINGS.filter(({ kind }) => kind === 'path').flatMap((setting) =>
  listNames(setting).map((by) => ({ by, name: setting.name })),
)
it.each(ways)("expands ~ in a setting by $by, and rejects another user's home", ({ by, name }) => {
  /** Returns the setting's value from the option or variable. */
  const found = (path: string) => {
    const isOption = by.startsWith('--')
    const entries = findSettings(isOption ? { [name]: path } : {}, isOption ? {} : { [by]: path })
    return entries.find(({ setting }) => setting.name === name)?.value
  }
  expect(found('~')).toBe(homedir())
  expect(found('~/a b')).toBe(join(homedir(), 'a b'))
  for (const path of ['a/~', './~bob']) expect(found(path)).toBe(path)
  const expected = `"${by}" expected an absolute path, or a path that begins with`
  expect(() => found('~bob/a')).toThrow(expected)
})

it('paths that begin with ~ are in the home folder, in --settings, variables and .env', async () => {
  const [cwd, home] = [await mkdtemp(join(root, 'cwd-')), await mkdtemp(join(root, 'home-'))]
  await writeIn(cwd, 'AFFINE_FOLDER=~/affine\nAFFINE_STALL=17\n', '.env')
  const env = { HOME: home, AFFINE_BUCKETS: '~/b' }
  const network = '--network=http://127.0.0.1:1'
  const key = await writeIn(root, 'ab'.repeat(32))
  const args = [network, '--key', key]
  const { stdout } = await runAf(['doctor', ...args], { cwd, env })
  expect(stdout).toMatch(new RegExp(`^folder +${join(home, 'affine')} `, 'm'))
  expect(stdout).toMatch(new RegExp(`^buckets +${join(home, 'b')} `, 'm'))
  expect(await readdir(cwd)).toEqual(['.env'])
  const buckets = { ...env, AFFINE_BUCKETS: '~bob/b' }
  const { stderr } = await runVerifier([network], { cwd, env: buckets })
  expect(stderr).toContain('"buckets" expected an absolute path')
})
