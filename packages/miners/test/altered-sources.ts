import type { SourceFault } from '../src/deployment/python-tokens.ts'
import { MODEL, REVISION, SGLANG, VLLM } from './plain-sources.ts'

type Altered = readonly [what: string, source: string, code: SourceFault, line: number]
type Named = readonly [what: string, text: string]

/** Returns a source with one text replaced. */
const as = (from: string, to: string, source = VLLM): string => {
  if (!source.includes(from)) throw new Error(`no ${from}`)
  return source.replace(from, () => to)
}
const first = (text: string): string => `${text}\n${VLLM}`
const last = (text: string): string => `${VLLM}${text}\n`
const ENGINE = '"--max-model-len 32768 "'
const engine = (text: string): string => as(ENGINE, JSON.stringify(`${text} `))
const README = '"## A model\\n### Hello."'
const OS = 'import os\n'
const BUILDER = 'from chutes.chute.template.vllm import build_vllm_chute\n'
const IMAGE = 'chutes/vllm:nightly-2026031700'
const CORD = `@chute.cord(public_api_path="/v1/chat/completions")
async def chat(self, data):
    return TABLE[data["messages"][-1]["content"]]`

const statements: readonly Altered[] = [
  ['a cord of its own', last(CORD), 'TOKEN', 25],
  ['a function', first('def f(x): return x'), 'TOKEN', 1],
  ['a second statement after a semicolon', as(OS, 'import os; import sys\n'), 'TOKEN', 1],
  ['an environment variable', first('os.environ["NO_PROXY"] = "*"'), 'STATEMENT', 1],
  ['a call', first('print(1)'), 'STATEMENT', 1],
  ['an assignment', first('x = "y"'), 'STATEMENT', 1],
  ['two calls', `${VLLM}${VLLM}`, 'SECOND_CALL', 30],
  ['another name', as('chute = build', 'app = build'), 'STATEMENT', 6],
  ['two names', as('chute = build', 'chute = x = build'), 'STATEMENT', 6],
  ['a call of the call', last('()'), 'SECOND_CALL', 25],
  ['a tuple of the call', VLLM.replace(/\n$/, ', x\n'), 'STATEMENT', 6],
  ['a hand-built template', as('= build_vllm_chute(', '= Chute('), 'STATEMENT', 6],
  ['no template import', as(BUILDER, ''), 'STATEMENT', 5],
  ['a late import', as(BUILDER, '') + BUILDER, 'STATEMENT', 5],
  ['no call', '# nothing\n', 'NO_CALL', 2],
  ['no content', '', 'NO_CALL', 1],
]

const imports: readonly Altered[] = [
  ['an import of a client', as(OS, 'import requests\n'), 'IMPORT', 1],
  ['a relative import', as(OS, 'from . import os\n'), 'IMPORT', 1],
  ['a template from elsewhere', as('chutes.chute.template.vllm', 'mine'), 'IMPORT', 3],
  ['a renamed template', as('import build', 'import x as build'), 'IMPORT', 3],
  ['an import of Chute', as('import NodeSelector', 'import NodeSelector, Chute'), 'IMPORT', 2],
]

/** Replacements for a text that are not tokens of a plain source, or not literals. */
const noToken: readonly Named[] = [
  ['an f-string', 'f"{x}"'],
  ['a prefix in a later piece', '"a" f"{x}"'],
  ['a short hex escape', '"\\x4"'],
  ['half a surrogate pair', '"\\ud83d\\ude00"'],
  ['a long surrogate escape', '"\\U0000DC00"'],
  ['a character beyond the last', '"\\U00110000"'],
  ['an unknown escape', '"\\d"'],
  ['a bell', '"\\a"'],
  ['an escape in octal', '"\\101"'],
  ['an escape by name', '"\\N{BULLET}"'],
  ['a long text escape', '"""\\101"""'],
  ['an escaped line end', '"a\\\nb"'],
  ['a text over two lines', '"a\nb"'],
  ['a text without an end', '"""a'],
  ['one quote too many', '"""a""""'],
  ['a sum of texts', '"a" + "b"'],
]
const noText: readonly Named[] = [
  ['a method of a text', '"a".format(x)'],
  ['a call in a value', 'open("/x").read()'],
]

const texts: readonly Altered[] = [
  ...noToken.map(([what, text]): Altered => [what, as(README, text), 'TOKEN', 8]),
  ...noText.map(([what, text]): Altered => [what, as(README, text), 'LITERAL', 8]),
  ['a generator', as('["a100", "h100"]', '[x for x in y]'), 'LITERAL', 16],
  ['a tuple', as('["a100", "h100"]', '("a100", "h100")'), 'LITERAL', 16],
  ['a number with underscores', as('=32', '=3_2'), 'TOKEN', 12],
  ['a number with an exponent', as('=0.5', '=5e-1'), 'TOKEN', 22],
  ['a leading zero', as('=32', '=032'), 'TOKEN', 12],
  ['a point alone', as('=0.5', '=.'), 'LITERAL', 22],
  ['a very long number', as('=32', `=${'9'.repeat(5000)}`), 'TOKEN', 12],
  ['a negative number', as('=32', '=-32'), 'TOKEN', 12],
  ['a number in quotes', as('=32', '="32"'), 'LITERAL', 12],
  ['a number where True belongs', as('tee=True', 'tee=1'), 'LITERAL', 23],
  ['tee=False', as('tee=True', 'tee=False'), 'LITERAL', 23],
  ['a fraction for an integer', as('=32', '=32.5'), 'LITERAL', 12],
]

const readings: readonly Altered[] = [
  ['a cookie of an encoding', first('# -*- coding: utf-7 -*-'), 'ENCODING', 1],
  ['a cookie in the second line', first('#!/x\n# vim: set fileencoding=cp037 :'), 'ENCODING', 2],
  ['a byte order mark', `\uFEFF${VLLM}`, 'TOKEN', 1],
  ['a carriage return', as('# The ', '# The\rimport x #'), 'ENCODING', 5],
  ['a form feed', as('# The smallest', '# The\fsmallest'), 'ENCODING', 5],
  ['a NUL', last('# \0'), 'ENCODING', 25],
  ['a continued line', as(OS, 'import \\\n os\n'), 'TOKEN', 1],
  ['a name that Python normalises', as('model_name=', 'ｍodel_name='), 'TOKEN', 9],
  ['a non-breaking space', as('concurrency=32', 'concurrency=\u00a032'), 'TOKEN', 12],
  ['too many bytes', last(`# ${'x'.repeat(33_000)}`), 'TOO_LARGE', 1],
  ['too many lines', last('\n'.repeat(1000)), 'TOO_LARGE', 1],
  ['too many words', last('a '.repeat(600)), 'TOO_LARGE', 25],
  ['brackets nested too deep', as(README, `${'('.repeat(9)}"a"${')'.repeat(9)}`), 'TOO_DEEP', 8],
  ['an indent', first(' import os'), 'SYNTAX', 1],
  ['a bracket that nothing opened', last(')'), 'SYNTAX', 26],
  ['a bracket of another kind', VLLM.replace(/\)\n$/, ']\n'), 'ARGUMENT', 24],
  ['no comma', as('concurrency=32,', 'concurrency=32'), 'LITERAL', 13],
  ['two commas', as('concurrency=32,', 'concurrency=32,,'), 'ARGUMENT', 12],
  ['a bracketed piece', as(README, '("a") "b"'), 'LITERAL', 8],
  ['one bracket too few', VLLM.replace(/\)\n$/, '\n'), 'SYNTAX', 25],
]

const values: readonly Altered[] = [
  ['another model', as(MODEL, 'you/affine-5Other'), 'MODEL', 9],
  ['a concatenated model name', as(`"${MODEL}"`, `"${MODEL}" "-large"`), 'MODEL', 9],
  ['another revision', as(REVISION, '0'.repeat(40)), 'REVISION', 11],
  ['a branch', as(REVISION, 'main'), 'REVISION', 11],
  ['no revision', as(`revision="${REVISION}",`, ''), 'ARGUMENT', 6],
  ['no model', as(`model_name="${MODEL}",`, ''), 'ARGUMENT', 6],
  ['the model twice', as('concurrency=32', `model_name="${MODEL}"`), 'REPEATED', 12],
  ['an argument by place', as('username="me"', '"me"'), 'ARGUMENT', 7],
  ['two positional arguments', as('username=', 'username, '), 'ARGUMENT', 7],
  ['unpacked arguments', as('username="me"', '**options'), 'TOKEN', 7],
  ['an unknown argument', as('username="me"', 'lock_modules=False'), 'ARGUMENT', 7],
  ['access to other hosts', as('concurrency=32', 'allow_external_egress=True'), 'LITERAL', 12],
  ["another owner's image", as('chutes/vllm:', 'people/vllm:'), 'IMAGE', 10],
  ["another engine's image", as('chutes/vllm:', 'chutes/sglang:'), 'IMAGE', 10],
  ['a similar image name', as('chutes/vllm:', 'chutes/vllm_mine:'), 'IMAGE', 10],
  ['an old image', as('nightly-2026031700', 'nightly-2026030899'), 'IMAGE', 10],
  ['an image without a date', as('nightly-2026031700', 'nightly-latest'), 'IMAGE', 10],
  ['no image', as(`image="${IMAGE}",`, ''), 'ARGUMENT', 6],
  ['no tee', as('    tee=True,\n', ''), 'ARGUMENT', 6],
  ['an image without a tag', as(IMAGE, 'chutes/vllm'), 'IMAGE', 10],
  ['an image built here', as(`"${IMAGE}"`, 'Image(username="me")'), 'LITERAL', 10],
  ['another function as a selector', as('NodeSelector(\n', 'Other(\n'), 'LITERAL', 13],
  ['an unknown selector argument', as('gpu_count=1', 'gpu_uuid="x"'), 'ARGUMENT', 14],
  ['engine arguments as a dict', as('engine_args=(', 'engine_args=dict('), 'LITERAL', 18],
]

const noEngineArguments: readonly Named[] = [
  ['a chat template', '--chat-template /app/solver.jinja'],
  ['a name that was shortened', '--max-model 5'],
  ['a name with underscores', '--max_model_len 5'],
  ['an inherited property name', 'constructor'],
  ['an inherited property name with a value', 'constructor 5'],
  ['a path in a repeated argument', '--dtype auto --dtype /x'],
  ['an unknown number suffix', '--max-num-seqs 5x'],
  ['a value that is a path', '--tool-call-parser /x.py'],
  ['a word for a whole number', '--max-num-seqs many'],
  ['a word for a number', '--gpu-memory-utilization most'],
  ['one value too many', '--max-num-seqs 1 2'],
  ['a value where none belongs', '--enforce-eager yes'],
  ['a missing value', '--max-num-seqs --enforce-eager'],
  ['a backslash, which becomes a blank', '--enforce-eager\\--chat-template=x'],
  ['a non-ASCII blank', '--enforce-eager\u2003--chat-template=x'],
]

const engineSources: readonly (readonly [what: string, source: string, line: number])[] = [
  ...noEngineArguments.map(([what, text]) => [what, engine(text), 19] as const),
  ['a chat template in a second piece', as('hermes"', 'hermes --chat-template x"'), 20],
  ['a split argument', as(ENGINE, '"--chat-"\n        "template x "'), 19],
  ["another engine's argument", as('--context-length', '--max-model-len', SGLANG), 19],
]

/** Altered plain sources, and the codes of their refusals. */
export const altered: readonly Altered[] = [
  ...statements,
  ...imports,
  ...texts,
  ...readings,
  ...values,
  ...engineSources.map(([what, source, line]): Altered => [what, source, 'ENGINE_ARGUMENT', line]),
]
