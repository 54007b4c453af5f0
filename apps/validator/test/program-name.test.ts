import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { findProgramFile, getCommandName } from '../src/service/program-name.ts'

const FROM = 'file:///home/me/affine/apps/validator/dist/cli.js'
const FETCHED = 'file:///home/me/.npm/_npx/6e0/node_modules/@affine/validator/dist/cli.js'
const root = testFolder('program-name')

/** Returns a PATH of two folders, the second with these programs. */
function pathWith(...names: readonly string[]): string {
  const folder = join(root, names.join('-'))
  mkdirSync(folder)
  for (const name of names) writeFileSync(join(folder, name), '')
  return ['/nowhere', folder].join(delimiter)
}

it('uses the name on the PATH, with npx under npm', () => {
  const PATH = pathWith('af', 'af-verify')
  expect(getCommandName('af', { PATH }, FROM)).toBe('af')
  expect(getCommandName('af-verify', { PATH }, FROM)).toBe('af-verify')
  expect(getCommandName('af-verify', { PATH, npm_command: 'run-script' }, FROM)).toBe(
    'npx af-verify',
  )
})

it('uses the file of a program that npx fetched for one call', () => {
  const env = { PATH: pathWith('af-verify'), npm_command: 'exec' }
  expect(getCommandName('af-verify', env, FETCHED)).toBe(`node ${findProgramFile('af-verify')}`)
})
