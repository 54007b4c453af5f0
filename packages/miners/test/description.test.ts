import { randomUUID } from 'node:crypto'
import { PROTOCOL } from '@affine/duel'
import { expect, it } from 'vitest'
import { checkDeployment } from '../src/deployment/checks.ts'
import { NODE_CALLER } from '../src/node/exchange.ts'
import { alteredDescriptions } from './altered-descriptions.ts'
import { described } from './servers.ts'
import { sourceFor } from './sources.ts'

const MINER = {
  hotkey: '5M',
  model: 'me/affine-5M',
  revision: 'c0ffee11'.repeat(5),
  chute: String(randomUUID()),
  templates: PROTOCOL.templates,
}

/** Returns the refusal's code, or `ok`, for a chute with these properties and this commitment. */
async function codeOf(more: object, committed: Partial<typeof MINER> = {}) {
  const miner = { ...MINER, ...committed }
  const description = JSON.stringify({ ...described(miner, 'mine'), ...more })
  const ask = async ({ url }: { url: string }) => {
    const text = url.includes('/code/') ? sourceFor(miner) : description
    return { status: 200, headers: {}, text, ms: 0 }
  }
  const exchange = async ({ url }: { url: string }) => {
    const isThere = url.endsWith('tokenizer_config.json')
    return { status: isThere ? 200 : 404, headers: {}, text: '{}', ms: 0 }
  }
  const context = { epoch: 0, signal: new AbortController().signal }
  const verdict = await checkDeployment(miner, context, { ...NODE_CALLER, exchange, key: { ask } })
  return verdict.ok ? 'ok' : verdict.code
}

it.each(alteredDescriptions)('rejects a chute %s', async (_, more, code) => {
  expect(await codeOf(more)).toBe(code)
})

it.each([
  ['as required', {}, {}, 'ok'],
  ['hosted, explicitly', { execution_backend: 'hosted' }, {}, 'ok'],
  ['not public but shown', { public: false }, {}, 'ok'],
  ['with "affine" inside its name', { public: false }, { model: 'me/my-AFFine' }, 'ok'],
  ['with "affine" in its owner', { public: false }, { model: 'affine2/5M' }, 'ok'],
  ['not public', { public: false }, { model: 'me/5M' }, 'NOT_PUBLIC'],
  ['with a hidden source', {}, { model: 'me/affine-chronoseek' }, 'NOT_PUBLIC'],
  ['without an owner', {}, { model: 'affine-5M' }, 'MODEL'],
  ['of a model below a folder', {}, { model: 'me/affine-5M/other' }, 'MODEL'],
  ['committed with a branch', {}, { revision: 'main' }, 'REVISION'],
  ['committed with a short revision', {}, { revision: 'c0ffee11' }, 'REVISION'],
  ['committed with a slug instead of an id', {}, { chute: 'mine' }, 'NO_ID'],
  ['committed with a path after its id', {}, { chute: `${MINER.chute}/../me` }, 'NO_ID'],
  ['committed with a line feed', {}, { chute: `${MINER.chute}\n` }, 'NO_ID'],
])('judges a chute %s (%j, %j) as %s', async (_, more, committed, code) => {
  expect(await codeOf(more, committed)).toBe(code)
})
