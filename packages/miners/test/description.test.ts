import { expect, it } from 'vitest'
import { readDescription } from '../src/deployment/deployment.ts'
import { TEMPLATES } from '../src/deployment/templates.ts'
import { described } from './servers.ts'

const MINER = {
  hotkey: '5M',
  model: 'me/affine-5M',
  revision: 'c0ffee11'.repeat(5),
  chute: 'c',
}
const PLAIN = described(MINER, 'mine')

/** What is said of a chute that differs so, or whose miner committed something else. */
function codeOf(more: object, committed: Partial<typeof MINER> = {}) {
  const miner = { ...MINER, ...committed }
  const same = { ...PLAIN, name: miner.model, revision: miner.revision }
  const read = readDescription({ ...same, ...more }, miner, TEMPLATES)
  return read.ok ? 'ok' : read.code
}

it.each([
  ['as it should be', {}, {}, 'ok'],
  ['hosted, as it says itself', { execution_backend: 'hosted' }, {}, 'ok'],
  ['not public, of a model that is shown all the same', { public: false }, {}, 'ok'],
  ['not public', { public: false }, { model: 'me/5M' }, 'NOT_PUBLIC'],
  ['of a model without an owner', {}, { model: 'affine-5M' }, 'MODEL'],
  ['of a model below a folder', {}, { model: 'me/affine-5M/other' }, 'MODEL'],
  ['of a branch', {}, { revision: 'main' }, 'REVISION'],
  ['of a short revision', {}, { revision: 'c0ffee11' }, 'REVISION'],
  ['of another name', { name: 'you/affine-5M' }, {}, 'MODEL'],
  ['whose name is a number', { name: 5 }, {}, 'MODEL'],
  ['of another revision', { revision: '0'.repeat(40) }, {}, 'REVISION'],
  ['elsewhere', { execution_backend: 'external' }, {}, 'NOT_HOSTED'],
  ['of another template', { standard_template: 'tei' }, {}, 'NOT_A_TEMPLATE'],
  ['without a host', { slug: null }, {}, 'NO_SLUG'],
  ['at a host of its own', { slug: 'mine.example.org/' }, {}, 'NO_SLUG'],
])('a chute %s: %j %j', (_, more, committed, code) => {
  expect(codeOf(more, committed)).toBe(code)
})
