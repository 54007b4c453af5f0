import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findSourceRefusal, readTemplate } from '../src/deployment/template-source.ts'
import { TEMPLATES } from '../src/deployment/templates.ts'
import { plain, SOURCE } from './sources.ts'

/** The number of mutants; the nightly run tests 60,000. */
const MUTANTS = Number(process.env.MUTANTS ?? 500)
const PYTHON = process.env.TEST_PYTHON ?? 'python3'
const isHere = spawnSync(PYTHON, ['--version']).status === 0

/** Runs a Python program with an input, and returns its output. */
function runPython(program: string, input: string): string {
  const ran = spawnSync(PYTHON, ['-c', program], { input, encoding: 'utf8', maxBuffer: 2 ** 30 })
  if (ran.status !== 0) throw new Error(ran.stderr)
  return ran.stdout
}

/** Checks with CPython's `ast` that sources have the given arguments and nothing else. */
const CHECK = `
import ast, json, sys, warnings
warnings.simplefilter("error")
PLAIN = ["model_name", "revision", "image", "engine_args"]

def check(source, values):
    compile(source.encode(), "chute", "exec")
    *imports, last = ast.parse(source.encode()).body
    assert [ast.unparse(each) for each in imports] == source.rstrip("\\n").split("\\n")[:-1]
    assert ast.unparse(last.targets) == "chute" and last.value.args == []
    assert [each.arg for each in last.value.keywords] == list(values)
    for each in last.value.keywords:
        value, wanted = each.value, values[each.arg]
        if each.arg in PLAIN:
            assert value.value == wanted
            continue
        if each.arg == "node_selector":
            assert value.func.id == "NodeSelector" and value.args == []
            wanted = f"NodeSelector({wanted})"
        for part in value.keywords if each.arg == "node_selector" else [each]:
            ast.literal_eval(part.value)
        assert ast.dump(value) == ast.dump(ast.parse(wanted, mode="eval").body)

for source, values in json.load(sys.stdin):
    try:
        check(source, values)
    except Exception as error:
        sys.exit(f"{error!r} in {source!r}")
`

/** Checks that Python reads the accepted ones of some sources equally. Returns their number. */
function expectSame(sources: readonly string[]): number {
  const accepted = sources.flatMap((source) => {
    const read = readTemplate(source, TEMPLATES)
    return read.ok ? [[source, read.value]] : []
  })
  runPython(CHECK, JSON.stringify(accepted))
  return accepted.length
}

/** Texts with a special meaning in Python, and characters that join or end tokens. */
const PIECES = [
  ...'\'"#\\()[]{}=,.:;-+*@0_aAbBfFrRuUxXN \t\f\v\r\n\0\u001a\u0085\u00a0\u2028\ufeffｍé😀',
  ...'""" \'\'\' "" """" \\x41 \\u0041 \\U0001f600 \\ud83d \\101 \\a \\N{BULLET}'.split(' '),
  ...'1_0 00 0x1 1e5 1j True None not and import|os \\\n \r\n # ,| |='.split(' '),
].map((piece) => piece.replaceAll('|', ' '))

const piece = fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 3 }))
/** Sources with one edit anywhere, and sources with a text of such pieces. */
const mutant = fc.oneof(
  fc
    .tuple(fc.constantFrom(...plain), fc.noBias(fc.nat()), fc.nat(3), piece)
    .map(([source, at, count, text]) => {
      const from = at % source.length
      return source.slice(0, from) + text + source.slice(from + count)
    }),
  fc
    .array(piece, { maxLength: 5 })
    .map((text) => SOURCE.replace('## A model', () => text.join(''))),
)

describe.skipIf(!isHere)('CPython’s ast', () => {
  it('reads accepted sources equally', () => {
    expect(expectSame(plain)).toBe(plain.length)
  })

  it(`reads the accepted ones of ${MUTANTS} mutants as Python does`, () => {
    const mutants = fc.array(mutant, { minLength: 500, maxLength: 500 })
    const property = fc.property(mutants, (sources) => {
      expect(expectSame(sources)).toBeGreaterThan(100)
    })
    fc.assert(property, { numRuns: MUTANTS / 500, endOnFailure: true })
  })
})

describe.skipIf(!isHere)('a source that a person wrote', () => {
  const page = readFileSync(new URL('../../../docs/mining.md', import.meta.url), 'utf8')
  const [, example = ''] = /```python\n(.*?)```/s.exec(page) ?? []
  const [, program = ''] = /python3 -c '(.*)' </.exec(page) ?? []

  it('is accepted after the command of docs/mining.md', () => {
    const argument = (name: string, value: string): string =>
      example.replace(new RegExp(`${name}=.*`), () => `${name}=${value},`)
    const written = [
      example,
      `# An example: é\n\n${example.replaceAll('\n', '\r\n')}# the end`,
      example.replace('import NodeSelector', 'import (\n    NodeSelector,\n)'),
      argument('readme', '"""# A model\n\nIt "plays" — 模型.\n"""'),
      argument('readme', '("It\'s " # no\n  \'one\' R"\\d" "\\x07\\u200b\\U000e0001\\N{BULLET}")'),
      argument('concurrency', '3_2, scaling_threshold = .000_012_5'),
    ]
    for (const source of written) {
      expect(findSourceRefusal(source, TEMPLATES)).toBeDefined()
      expect(findSourceRefusal(runPython(program, source), TEMPLATES)).toBeUndefined()
    }
  })

  it('is refused as docs/mining.md shows', () => {
    const altered = example.replace('"--mem-fraction-static 0.8"', '"--chat-template x"')
    const read = readTemplate(runPython(program, altered), TEMPLATES)
    expect(page).toContain(read.ok ? 'no' : `gives no usable reply: ${read.code}: ${read.detail}\n`)
  })
})
