import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readEnvLines } from '../packages/terminal/src/env-lines.ts'
import { HOSTILE, ours } from '../packages/terminal/test/hostile-lines.ts'

/** The oldest that is supported, and the newest of each. npm's package `node` has them. */
const RELEASES = ['20.19.0', '20', '22', '24', '26']

const PROGRAM = `
import { readEnvLines } from './packages/terminal/src/env-lines.ts'
import { HOSTILE, ours } from './packages/terminal/test/hostile-lines.ts'
const read = HOSTILE.map(([text]) => readEnvLines(text, ours))
console.log(JSON.stringify({ version: process.version, read }))`

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'releases-'))
  const stdin = { contents: PROGRAM, resolveDir: join(import.meta.dirname, '..') }
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false })
  await writeFile(join(root, 'read.mjs'), outputFiles[0]?.contents ?? '')
})
afterAll(() => rm(root, { recursive: true }))

it.each(RELEASES)('every file of settings is read alike by Node %s', (release) => {
  const words = ['-y', `node@${release}`, 'read.mjs']
  const said = execFileSync('npx', words, { cwd: root, encoding: 'utf8' })
  const { version, read } = JSON.parse(said)
  expect(`${version}.`).toMatch(new RegExp(`^v${release}\\.`))
  expect(read).toEqual(HOSTILE.map(([text]) => readEnvLines(text, ours)))
})
