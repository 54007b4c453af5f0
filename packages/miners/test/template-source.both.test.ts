import { PROTOCOL } from '@affine/duel'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { words } from '../../../test/words.ts'
import { readTemplate } from '../src/deployment/template-source.ts'
import { findTemplates, hashTemplates, TEMPLATES } from '../src/deployment/templates.ts'
import { altered } from './altered-sources.ts'
import { MODEL, plain, REVISION, VLLM } from './plain-sources.ts'

const template = { model_name: MODEL, revision: REVISION }
const wanted = { model: MODEL, revision: REVISION }
const read = (source: string) => readTemplate(source, wanted, TEMPLATES)

it('finds the list of templates by its digest in the network’s constants', () => {
  expect(hashTemplates(TEMPLATES)).toBe(PROTOCOL.templates)
  expect(findTemplates(PROTOCOL.templates)).toBe(TEMPLATES)
  expect(() => findTemplates('0'.repeat(64))).toThrow('use another release of af')
})

describe('the source of a public chute', () => {
  it('differs from all other sources of this test', () => {
    expect(new Set(plain).size).toBe(plain.length)
  })
  it.each(plain)('is accepted: %j', (source) => {
    expect(read(source)).toMatchObject({ ok: true, value: template })
  })
})

it('reports the line of a refused argument in a text of many pieces', () => {
  const pieces = [...Array<string>(499).fill('"--max-model-len 32768 "'), '"- "']
  const source = VLLM.replace('"--max-model-len 32768 "', pieces.join('\n'))
  expect(read(source)).toMatchObject({ detail: 'line 518: "-" is not on the list' })
})

it('lists no engine argument with which something other than the model could answer', () => {
  const names = words(`
    chat-template chat-template-path config enable-lora hf-overrides lora-modules lora-paths
    middleware model model-path reasoning-parser-plugin revision served-model-name speculative-config
    tokenizer tokenizer-path tokenizer-revision tool-parser-plugin trust-remote-code
  `)
  for (const { engine } of Object.values(TEMPLATES.builders))
    expect(names.filter((name) => `--${name}` in engine)).toEqual([])
})

it('accepts any well-formed model and revision without a commitment', () => {
  const readAny = (source: string) => readTemplate(source, {}, TEMPLATES)
  expect(readAny(VLLM)).toMatchObject({ ok: true })
  expect(readAny(VLLM.replace(REVISION, 'main'))).toMatchObject({
    code: 'REVISION',
    detail: 'line 11: "main" is not 40 hex digits',
  })
  expect(readAny(VLLM.replace(MODEL, 'mine'))).toMatchObject({ code: 'MODEL' })
})

it.each(altered)('refuses a source with %s, and names the line', (_, source, code, line) => {
  const verdict = read(source)
  expect(verdict).toMatchObject({ ok: false, code })
  expect(!verdict.ok && verdict.detail).toMatch(new RegExp(`^line ${line}: [ -~…]+$`))
})

it('reads any text, or refuses it with a message of bounded length', () => {
  const piece = fc.oneof(
    fc.constantFrom(...VLLM.split(/(?<=\n)/)),
    fc.constantFrom(...VLLM.split(/\b/)),
    fc.string({ unit: 'binary', maxLength: 5 }),
  )
  const property = fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
    const verdict = read(pieces.join(''))
    expect(verdict.ok ? verdict.value : verdict.detail.length < 2500).toBeTruthy()
  })
  fc.assert(property, { numRuns: 300 })
})
