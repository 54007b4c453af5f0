import { expect, it } from 'vitest'
import { filesText } from '../src/commands/demo/screens.ts'
import { programName } from '../src/service/program-name.ts'

const CHECKOUT = 'file:///home/me/affine/apps/validator/dist/cli.js'
const INSTALLED = 'file:///home/me/mine/node_modules/@affine/validator/dist/cli.js'

it('a hint has npx where npm started us from a checkout, and nowhere else', () => {
  const npm = { npm_command: 'exec' }
  expect(programName('af', npm, CHECKOUT)).toBe('npx af')
  expect(programName('af', {}, CHECKOUT)).toBe('af')
  expect(programName('af', npm, INSTALLED)).toBe('af')
})

it('what the demo says to try next is by these names', () => {
  const text = filesText('/tmp/x')
  expect(text).toContain(`${programName('af')} serve /tmp/x/buckets`)
  expect(text).toContain(`${programName('af-verify')} /tmp/x/buckets`)
  expect(text).toContain(`play one yourself     ${programName('af')} env run tictactoe-v0`)
})
