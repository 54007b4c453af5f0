import { spawnSync } from 'node:child_process'
import { pcg64 } from '@affine/prng'
import { expect, it } from 'vitest'
import { readTemplate } from '../src/deployment/template-source.ts'
import { TEMPLATES } from '../src/deployment/templates.ts'
import { MODEL, plain, REVISION, SPACIOUS } from './plain-sources.ts'

/** The number of mutants; the nightly run tests 60,000. */
const MUTANTS = Number(process.env.MUTANTS ?? 500)
const PYTHON = process.env.TEST_PYTHON ?? 'python3'
const isHere = spawnSync(PYTHON, ['--version']).status === 0

/** Parses sources with CPython's `ast`, and writes them again with `ast.unparse`. */
const PROGRAM = `
import ast, json, sys, warnings
warnings.simplefilter("error")

def value(node):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List):
        return [value(each) for each in node.elts]
    assert node.func.id == "NodeSelector" and node.args == []
    return {each.arg: value(each.value) for each in node.keywords}

def statement(node):
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return ast.unparse(node)
    [target] = node.targets
    assert target.id == "chute" and node.value.args == []
    names = [each.arg for each in node.value.keywords]
    assert len(names) == len(set(names))
    values = {each.arg: value(each.value) for each in node.value.keywords}
    return {"call": node.value.func.id, "values": values}

for source in json.load(sys.stdin):
    tree = compile(source.encode(), "chute", "exec", ast.PyCF_ONLY_AST)
    compile(tree, "chute", "exec")
    print(json.dumps([[statement(node) for node in tree.body], ast.unparse(tree)]))
`

type Call = { readonly call: string; readonly values: unknown }
type ReadByPython = readonly [statements: readonly (string | Call)[], written: string]

function readByPython(sources: readonly string[]): readonly ReadByPython[] {
  const input = JSON.stringify(sources)
  const ran = spawnSync(PYTHON, ['-c', PROGRAM], { input, encoding: 'utf8', maxBuffer: 2 ** 30 })
  const read = ran.stdout
    .trim()
    .split('\n')
    .map((line): ReadByPython => JSON.parse(line))
  if (ran.status === 0) return read
  throw new Error(`${ran.stderr}\n${JSON.stringify(sources[read.length])}`)
}

const read = (source: string) =>
  readTemplate(source, { model: MODEL, revision: REVISION }, TEMPLATES)

/** Checks that Python reads the accepted sources with the same values. */
function expectSame(sources: readonly string[]): void {
  for (const [i, [statements]] of readByPython(sources).entries()) {
    const source = sources[i] ?? ''
    const here = read(source)
    if (!here.ok) throw new Error(source)
    const imports = statements.filter((each) => typeof each === 'string')
    expect(TEMPLATES.imports, source).toEqual(expect.arrayContaining(imports))
    const [call, ...more] = statements.filter((each) => typeof each !== 'string')
    if (call === undefined) throw new Error(source)
    expect(more, source).toEqual([])
    expect(call.values, source).toEqual(here.value)
    const image = TEMPLATES.builders[call.call]?.image
    expect(String(here.value.image), source).toContain(`/${image}:`)
    const before = statements.slice(0, statements.indexOf(call))
    expect(String(before), source).toContain(`import ${call.call}`)
  }
}

/** Characters with a special meaning in Python, and characters that join or end tokens. */
const PIECES = [
  ...'\'"#\\()[]{}=,.:;-+*@0_aAbBfFrRuUxXN \t\f\v\r\n\0\u001a\u0085\u00a0\u2028\ufeffｍé😀',
  ...'""" \'\'\' "" """" \'\'\'\' \\x41 \\u0041 \\U0001F600 \\ud83d \\101 \\a'.split(' '),
  ...'\\N{BULLET} \\U00110000 1_0 00 0x1 1e5 1j True False None if not and or in'.split(' '),
  ...[
    '\\\n',
    '\\\r\n',
    '\r\n',
    '\n ',
    '\n\t',
    ' #',
    '# coding: utf-7',
    'import os',
    '9'.repeat(20),
  ],
]

/** Returns sources with one to three edits each, the same in each run. */
function* mutantsOf(seed: number): Generator<string> {
  const random = pcg64(seed)
  const oneOf = <Value>(values: readonly Value[]): Value =>
    values[random.integers(0, values.length)] as Value
  for (;;) {
    const text = [...oneOf([SPACIOUS, oneOf(plain)])]
    for (let edits = oneOf([1, 1, 1, 2, 3]); edits > 0; edits -= 1) {
      const at = random.integers(0, text.length + 1)
      const copied = random.integers(0, text.length + 1)
      const more = [oneOf(PIECES), text.slice(copied, copied + random.integers(0, 12)).join('')]
      text.splice(at, oneOf([0, 0, 1, 2, 3]), oneOf(more))
    }
    yield text.join('')
  }
}

it.skipIf(!isHere)('reads plain sources as CPython’s ast does', () => {
  expectSame(plain)
})

it.skipIf(!isHere)('reads plain sources equally after ast.unparse', () => {
  for (const [i, [, written]] of readByPython(plain).entries())
    expect(read(written), written).toEqual(read(plain[i] ?? ''))
})

it.skipIf(!isHere)(`reads every accepted mutant of ${MUTANTS} as CPython’s ast does`, () => {
  const mutants = mutantsOf(20_261_016)
  const accepted = Array.from({ length: MUTANTS }, () => String(mutants.next().value)).filter(
    (mutant) => read(mutant).ok,
  )
  expect(accepted.length).toBeGreaterThan(MUTANTS / 20)
  for (let from = 0; from < accepted.length; from += 5000)
    expectSame(accepted.slice(from, from + 5000))
})
