import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test, vi } from 'vitest'
import { checkEnv } from '../src/check-env.ts'
import { Env } from '../src/index.ts'

const home = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(import.meta.dirname, 'docs-'))
afterAll(() => rmSync(folder, { recursive: true }))

function blocksOf(path: string, language: string): string[] {
  const text = readFileSync(path, 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block]) => block ?? '',
  )
}

/** Runs a program that imports the package. Returns its output. */
async function run(name: string, program: string, index: string): Promise<string> {
  const lines: string[] = []
  const log = vi
    .spyOn(console, 'log')
    .mockImplementation((...values) => void lines.push(values.join(' ')))
  const file = join(folder, name)
  const own = program.replace("'@affine/envs'", `'${index}'`)
  writeFileSync(file, own.replace("'@affine/envs/check'", "'./src/check-env.ts'"))
  try {
    await import(/* @vite-ignore */ pathToFileURL(file).href)
  } finally {
    log.mockRestore()
  }
  return `${lines.join('\n')}\n`
}

test('runs the worked example, one file and one line in the registry', async () => {
  const path = join(home, '../../docs/adding-an-environment.md')
  const [file = '', line = '', program = ''] = blocksOf(path, 'ts')
  const source = join(folder, 'src')
  cpSync(join(home, 'src'), source, { recursive: true })
  writeFileSync(join(source, 'sort5.ts'), file)

  const [imported = '', listed = ''] = line.trim().split('\n\n')
  // A checkout in which someone followed the page already contains sort5.
  const registry = readFileSync(join(source, 'registry.ts'), 'utf8')
    .replace(`${imported}\n`, '')
    .replace(', sort5', '')
  const extended = `${imported}\n${registry.replace(/^const BUILT_IN.*$/m, listed)}`
  expect(extended.split('\n').filter((each) => !registry.includes(each))).toEqual([
    imported,
    listed,
  ])
  writeFileSync(join(source, 'registry.ts'), extended)

  expect(await run('try.ts', program, './src/index.ts')).toBe(blocksOf(path, 'text')[0])
})

test('runs the worked game of two players, one file that passes the checks', async () => {
  const file = blocksOf(join(home, '../../docs/adding-an-environment.md'), 'ts').at(-1) ?? ''
  writeFileSync(join(folder, 'nim.ts'), file.replaceAll("from './", "from '../../src/"))
  const { nim } = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'nim.ts')).href)
  checkEnv(new Env(nim))
})
