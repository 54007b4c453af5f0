import { PROTOCOL } from '@affine/duel'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { words } from '../../../test/words.ts'
import { findSourceRefusal, judgeSource, readTemplate } from '../src/deployment/template-source.ts'
import { findTemplates, hashTemplates, TEMPLATES } from '../src/deployment/templates.ts'
import { altered, MODEL, plain, REVISION, SOURCE } from './sources.ts'

const committed = { model: MODEL, revision: REVISION }

it('finds the list of templates by its digest in the network’s constants', () => {
  expect(hashTemplates(TEMPLATES)).toBe(PROTOCOL.templates)
  expect(findTemplates(PROTOCOL.templates)).toBe(TEMPLATES)
  expect(() => findTemplates('0'.repeat(64))).toThrow('use another release of af')
})

it.each(plain)('accepts a source as Python writes it: %j', (source) => {
  const value = { model_name: MODEL, revision: REVISION }
  expect(readTemplate(source, TEMPLATES)).toMatchObject({ ok: true, value })
})

it.each(altered)('refuses a source with %s', (_, source, code) => {
  // The description has the source's own image, so that only the list can refuse this image.
  const [, image = ''] = /image='(.*?)'/.exec(source) ?? []
  const described = { slug: 'mine', image, updated: '' }
  const verdict = judgeSource(source, committed, described, TEMPLATES)
  expect(verdict).toMatchObject({ ok: false, code })
  expect(!verdict.ok && verdict.detail).toMatch(/^[ -~…]{1,500}$/)
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

it('lists one argument of each kind that the reader checks by the name of the argument', () => {
  const kinds = ['model', 'revision', 'image', 'engine', 'selector']
  const listed = Object.entries(TEMPLATES.arguments).filter(([, kind]) => kinds.includes(kind))
  expect(Object.fromEntries(listed.map(([name, kind]) => [kind, name]))).toEqual({
    ...{ model: 'model_name', revision: 'revision', image: 'image' },
    ...{ engine: 'engine_args', selector: 'node_selector' },
  })
  expect(listed).toHaveLength(kinds.length)
})

it('states what a source must change before its deployment', () => {
  const findRefusal = (from: string, to: string) =>
    findSourceRefusal(SOURCE.replace(from, to), TEMPLATES)
  expect(findRefusal('', '')).toBeUndefined()
  expect(findRefusal(REVISION, 'main')).toContain('"main", is not 40 hex digits')
  expect(findRefusal(MODEL, 'mine')).toContain('"mine", is not owner/name')
  expect(findRefusal(MODEL, 'me/other')).toContain('"affine"')
  expect(findRefusal('32,', '"32",')).toMatch(/^concurrency: expected a whole number, got /)
  expect(findRefusal('32,', '32, *a')).toMatch(/as ast.unparse writes it, got ", \*a /)
  expect(findRefusal('\n', '\n\n')).toMatch(/^line 2: .*as ast.unparse writes it, got ""/)
})

it('reads any text, or refuses it with a message of bounded length', () => {
  const pieces = SOURCE.split(/\b|(?<=\n)/)
  const piece = fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 5 }))
  const property = fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
    const verdict = readTemplate(pieces.join(''), TEMPLATES)
    expect(verdict.ok ? verdict.value : verdict.detail.length < 500).toBeTruthy()
  })
  fc.assert(property, { numRuns: 300 })
})
