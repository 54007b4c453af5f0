import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { formatFilesHint } from '../src/commands/demo/story.ts'
import { findProgramFile, getCommandName } from '../src/service/program-name.ts'

const FROM = 'file:///home/me/affine/apps/validator/dist/cli.js'
const FETCHED = 'file:///home/me/.npm/_npx/6e0/node_modules/@affine/validator/dist/cli.js'
const root = testFolder('program-name')

/** A path of two folders, the second with these programs. */
function pathWith(...names: readonly string[]): string {
  const folder = join(root, names.join('-'))
  mkdirSync(folder)
  for (const name of names) writeFileSync(join(folder, name), '')
  return ['/nowhere', folder].join(delimiter)
}

it('a hint has the name that the path knows, with npx where npm started us', () => {
  const PATH = pathWith('af', 'af-verify')
  expect(getCommandName('af', { PATH }, FROM)).toBe('af')
  expect(getCommandName('af-verify', { PATH }, FROM)).toBe('af-verify')
  expect(getCommandName('af-verify', { PATH, npm_command: 'run-script' }, FROM)).toBe(
    'npx af-verify',
  )
})

it('a hint has the file of a program that the path does not know, as beside an installed af', () => {
  const PATH = pathWith('af')
  const verify = `node ${findProgramFile('af-verify')}`
  expect(verify).toMatch(/^node \/.*verifier\/.*cli\.[jt]s$/)
  expect(getCommandName('af', { PATH }, FROM)).toBe('af')
  expect(getCommandName('af-verify', { PATH }, FROM)).toBe(verify)
  expect(getCommandName('af-verify', {}, FROM)).toBe(verify)
})

it('af is named by its own file, whatever program runs it', () => {
  using _ = vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', '/somewhere/worker.js'])
  expect(getCommandName('af', {}, FROM)).toMatch(/^node \/.*validator\/.*cli\.[jt]s$/)
})

it('what npm fetched for one call is not there for the next', () => {
  const env = { PATH: pathWith('af-verify'), npm_command: 'exec' }
  expect(getCommandName('af-verify', env, FETCHED)).toBe(`node ${findProgramFile('af-verify')}`)
})

it('what the demo says to try next is by these names', () => {
  const text = formatFilesHint('/tmp/x')
  expect(text).toContain(`$ ${getCommandName('af')} serve /tmp/x/buckets`)
  expect(text).toContain(`$ ${getCommandName('af-verify')} /tmp/x/buckets`)
  expect(formatFilesHint('/tmp/x', true)).not.toContain('http:')
  expect(text).toContain(`play one yourself\n    $ ${getCommandName('af')} env run tictactoe-v0`)
})
