import type { DeploymentFault } from '../src/deployment/deployment.ts'
import { TEMPLATES } from '../src/deployment/templates.ts'

export const MODEL = 'me/affine-5Miner'
export const REVISION = 'f7361cd9ff99396dbf6bd644ad846015e59ed4fc'
/** An allowed tag of an image. */
export const TAG = 'nightly-2026040100'

/** Returns the source of a committed chute in the form that validators accept. */
export const sourceFor = ({ model, revision }: { model: string; revision: string }): string =>
  `import os
from chutes.chute import NodeSelector
from chutes.chute.template.sglang import build_sglang_chute
chute = build_sglang_chute(username='me', readme='## A model', model_name='${model}', image='chutes/sglang:${TAG}', concurrency=32, revision='${revision}', node_selector=NodeSelector(gpu_count=1, include=['pro_6000', 'h200']), engine_args='--context-length 32768 --tool-call-parser qwen25', scaling_threshold=0.5, tee=True)
`

export const SOURCE: string = sourceFor({ model: MODEL, revision: REVISION })

/** Returns a source with one text replaced. */
const as = (from: string, to: string, source = SOURCE): string => {
  if (!source.includes(from)) throw new Error(`no ${from}`)
  return source.replace(from, () => to)
}
const VLLM = as('--context-length', '--max-model-len', SOURCE.replaceAll('sglang', 'vllm'))
const README = "'## A model'"
const INCLUDED = "['pro_6000', 'h200']"
const SELECTOR = `NodeSelector(gpu_count=1, include=${INCLUDED})`
const ENGINE = '--context-length 32768 --tool-call-parser qwen25'
const IMAGE = `chutes/sglang:${TAG}`
const BUILDER = 'from chutes.chute.template.sglang import build_sglang_chute\n'
const selected = (text: string): string => as(SELECTOR, `NodeSelector(${text})`)
const engine = (text: string): string => as(ENGINE, text)

const VALUES: Readonly<Record<string, string>> = {
  alone: '',
  whole: ' 32k',
  number: ' 0.5',
  name: '=fp8_e5m2',
}
/** Returns all arguments of an engine that the list of templates allows, each with a value. */
const allArguments = (builder: string): string =>
  Object.entries(TEMPLATES.builders[builder]?.engine ?? {})
    .map(([name, kind]) => `${name}${VALUES[kind]}`)
    .join(' ')

/** Sources that are accepted. */
export const plain: readonly string[] = [
  SOURCE,
  SOURCE.trimEnd(),
  VLLM,
  as('template.vllm', 'template', VLLM),
  // The shortest source.
  `${BUILDER}chute = build_sglang_chute(model_name='${MODEL}', revision='${REVISION}', image='${IMAGE}', tee=True)`,
  ...[
    allArguments('build_sglang_chute'),
    '--tp 8  --chunked-prefill-size -1 ',
    '--context-length=16384 --enable-mixed-chunk',
    // The platform adds its own arguments.
    '--mem-fraction-static=0.9 --mem-fraction-static 0.8 --dp 1',
    '',
  ].map(engine),
  as('--max-model-len 32768', allArguments('build_vllm_chute'), VLLM),
  ...[
    '',
    "gpu_count=8, min_vram_gb_per_gpu=140, exclude=['b200', 'mi300x']",
    'max_hourly_price_per_gpu=2.5, include=[]',
    `include=["l40's)", 'a6000_ada']`,
  ].map(selected),
  ...[
    `"It's a (model) — é, 模型."`,
    String.raw`'\x07\r\n\t\u200b\U000e0001\uffff \\x41 \'"'`,
    String.raw`'\\'`,
    `'", tee=False, x="'`,
    "''",
  ].map((text) => as(README, text)),
  ...['2026030900', '2026112701'].map((date) => as(TAG, `nightly-${date}`)),
  ...[
    "allow_external_egress=False, tagline='A model, small'",
    'max_instances=4, shutdown_after_seconds=28800, scaling_threshold=1',
    'scaling_threshold=1.25e-05',
  ].map((text) => as('scaling_threshold=0.5', text)),
]

type Altered = readonly [what: string, source: string]
const first = (text: string): string => `${text}\n${SOURCE}`
const end = (text: string): string => as('tee=True)\n', text)
const concurrency = (text: string): string => as('concurrency=32', text)

const imports: readonly Altered[] = [
  ['a cord of its own', `${SOURCE}@chute.cord()\ndef chat(self, data):\n    return 'A1'`],
  ['a function', first('def f(x): return x')],
  ['an environment variable', first('os.environ["NO_PROXY"] = "*"')],
  ['a call', first('print(1)')],
  ['a second call', SOURCE + SOURCE],
  ['a statement after the call', `${SOURCE}chute.x = 1\n`],
  ['a late import', as(BUILDER, '') + BUILDER],
  ['a second statement after a semicolon', as('import os', 'import os; import sys')],
  ['a second import in a line', as('import os', 'import os, sys')],
  ['an import of a client', as('import os', 'import requests')],
  ['a relative import', as('import os', 'from . import os')],
  ['a template from elsewhere', as('chutes.chute.template.sglang', 'mine')],
  ['a renamed template', as('import build', 'import x as build')],
  ['an import of Chute', as('import NodeSelector', 'import NodeSelector, Chute')],
  ['a comment that declares an encoding', first('# -*- coding: utf-7 -*-')],
  ['a comment after an import', as('import os', 'import os  # \\')],
  ['a blank line', first('')],
  ['a blank line at the end', `${SOURCE}\n`],
  ['an indent', first(' import os')],
  ['a carriage return in a line', as('import os', 'import os\rimport sys')],
  ['line ends of Windows', SOURCE.replaceAll('\n', '\r\n')],
  ['a form feed', first('\fimport os')],
  ['a byte order mark', `\uFEFF${SOURCE}`],
  ['a call over two lines', as('username=', '\nusername=')],
  ['a continued line', as('username=', '\\\nusername=')],
]

/** Values instead of a text. */
const values: readonly Altered[] = [
  ['an f-string', "f'{x}'"],
  ['bytes', "b'a'"],
  ['a raw text', "r'a'"],
  ['two texts', "'a' 'b'"],
  ['a text in brackets', "('a')"],
  ['a sum of texts', "'a' + 'b'"],
  ['a method of a text', "'a'.format(x)"],
  ['a call in a value', "open('/x').read()"],
  ['a name', 'os'],
  ['a long text', "'''a'''"],
  ['a text without an end', "'a"],
  ['an escaped quote as the end', "'a\\'"],
  ['a text in other quotes at its end', `'a"`],
  ['a short hex escape', "'\\x4'"],
  ['a character beyond the last', "'\\U00110000'"],
  ['an unknown escape', "'\\d'"],
  ['an escape in octal', "'\\101'"],
  ['an escape by name', "'\\N{BULLET}'"],
  ['a tab', "'\t'"],
  ['a NUL', "'\0'"],
  ['a carriage return', "'a\rb'"],
  ['a line end of ISO 6429', "'a\u0085b'"],
  ['a tuple', "('a', 'b')"],
  ['a dict', "{'a': 'b'}"],
  ['a generator', '[x for x in y]'],
  ['a list in a list', "[['a']]"],
  ['a list of numbers', '[1, 2]'],
  ['None', 'None'],
]

const numbers = ['3_2', '032', '0x20', '1e5', '.5', '.', '-32', '3+2', '３２', '9'.repeat(16)]

const statements: readonly Altered[] = [
  ['no content', ''],
  ['no call', BUILDER],
  ['another name', as('chute = build', 'app = build')],
  ['two names', as('chute = build', 'chute = x = build')],
  ['another blank', as('chute = build', 'chute =  build')],
  ['a call of the call', end('tee=True)()')],
  ['a tuple of the call', end('tee=True), x')],
  ['a second statement in the line of the call', end('tee=True); f()')],
  ['a choice of two calls', end('tee=True) or f()')],
  ['a comment after the call', end('tee=True)  # f()')],
  ['one bracket too few', end('tee=True')],
  ['a bracket of another kind', end('tee=True]')],
  ['a comma at the end', end('tee=True,)')],
  ['a hand-built template', as('= build_sglang_chute(', '= Chute(')],
  ['no template import', as(BUILDER, '')],
  ['a template that was not imported', as('= build_sglang_chute(', '= build_vllm_chute(')],
  ...values.map(([what, text]): Altered => [what, as(README, text)]),
  ...numbers.map((text): Altered => [`the number ${text}`, concurrency(`concurrency=${text}`)]),
  ['no comma', concurrency('concurrency=32 max_instances=1')],
  ['two commas', concurrency('concurrency=32, ')],
  ['no blank after a comma', concurrency('concurrency=32,max_instances=1')],
  ['blanks around "="', concurrency('concurrency = 32')],
  ['a non-breaking space', concurrency('concurrency=32,\u00a0max_instances=1')],
  ['an argument by place', as("username='me'", "'me'")],
  ['two positional arguments', as("username='me'", 'username, me')],
  ['unpacked arguments', as("username='me'", '**options')],
  ['an assignment in an argument', as("username='me'", "username:='me'")],
  ['a name that Python normalises', as('model_name=', 'ｍodel_name=')],
  ['an image built here', as(`'${IMAGE}'`, "Image(username='me')")],
  ['another function as a selector', as('NodeSelector(gpu', 'Other(gpu')],
  ['a call in a selector', selected('gpu_count=f()')],
  ['a call in a text of a selector', selected("include=['a'.join(x)]")],
  ['an unpacked argument in a selector', selected('**options')],
  ['a selector in a selector', selected('gpu_count=NodeSelector()')],
  ['a choice of two selectors', as(SELECTOR, 'NodeSelector() or f()')],
]

const literals: readonly Altered[] = [
  ['a text for a number', concurrency("concurrency='32'")],
  ['a fraction for a whole number', concurrency('concurrency=32.5')],
  ['True for a number', concurrency('concurrency=True')],
  ['access to other hosts', concurrency('allow_external_egress=True')],
  ['a number for True', as('tee=True', 'tee=1')],
  ['tee=False', as('tee=True', 'tee=False')],
  ['a list for a text', as(README, "['a']")],
  ['a text for a list', selected("include='h100'")],
  ['a text for a selector', as(SELECTOR, "'NodeSelector()'")],
  ['engine arguments as a list', as(`'${ENGINE}'`, "['--dp', '1']")],
  ['an escape in the model', as(`'${MODEL}`, `'\\x6d${MODEL.slice(1)}`)],
  ['an escape in the revision', as(`'${REVISION}`, `'\\x66${REVISION.slice(1)}`)],
  ['an escape in the image', as(`'${IMAGE}`, `'\\x63${IMAGE.slice(1)}`)],
  ['an escape in engine arguments', engine('--dp 1\\n--chat-template x')],
  ['double quotes around engine arguments', as(`'${ENGINE}'`, `"${ENGINE}"`)],
]

const names: readonly Altered[] = [
  ['no model', as(`model_name='${MODEL}', `, '')],
  ['no revision', as(`revision='${REVISION}', `, '')],
  ['no image', as(`image='${IMAGE}', `, '')],
  ['no tee', as(', tee=True', '')],
  ['an unknown argument', as("username='me'", 'lock_modules=False')],
  ['an inherited property as argument', as("username='me'", "constructor='me'")],
  ['the argument of a selector in the call', concurrency('gpu_count=1')],
  ['an unknown selector argument', selected("gpu_uuid='x'")],
  ['an argument of the call in a selector', selected('tee=True')],
]

const repeated: readonly Altered[] = [
  ['the model twice', concurrency(`model_name='${MODEL}'`)],
  ['an argument of a selector twice', selected('gpu_count=1, gpu_count=1')],
]

const images: readonly Altered[] = [
  ["another owner's image", as('chutes/sglang:', 'people/sglang:')],
  ["another engine's image", as('chutes/sglang:', 'chutes/vllm:')],
  ['a similar image name', as('chutes/sglang:', 'chutes/sglang_mine:')],
  ['an old image', as(TAG, 'nightly-2026030899')],
  ['an image without a date', as(TAG, 'nightly-latest')],
  ['an image without a tag', as(IMAGE, 'chutes/sglang')],
  ['a later image than its description', as(TAG, 'nightly-2026040101')],
]

const engines: readonly Altered[] = [
  ['a chat template', engine('--chat-template /app/solver.jinja')],
  ['a chat template after other arguments', engine('--dp 1 --dtype auto --chat-template x')],
  ['a name that was shortened', engine('--context 5')],
  ['a name with underscores', engine('--context_length 5')],
  ['an inherited property name', engine('constructor')],
  ['an inherited property name with a value', engine('constructor 5')],
  ['a path in a repeated argument', engine('--dtype auto --dtype /x')],
  ['an unknown number suffix', engine('--max-running-requests 5x')],
  ['a value that is a path', engine('--tool-call-parser /x.py')],
  ['a word for a whole number', engine('--max-running-requests many')],
  ['a word for a number', engine('--mem-fraction-static most')],
  ['one value too many', engine('--dp 1 2')],
  ['a value where none belongs', engine('--enable-mixed-chunk yes')],
  ['a missing value', engine('--dp --enable-mixed-chunk')],
  ['a non-ASCII blank', engine('--enable-mixed-chunk\u2003--chat-template=x')],
  ["another engine's argument", engine('--max-model-len 5')],
]

const withCode = (code: DeploymentFault, rows: readonly Altered[]) =>
  rows.map(([what, source]) => [what, source, code] as const)

/** Altered sources, and the codes of their refusals. */
export const altered: readonly (readonly [what: string, source: string, code: DeploymentFault])[] =
  [
    ...withCode('TOO_LARGE', [['too many bytes', as('A model', 'é'.repeat(2 ** 14))]]),
    ...withCode('IMPORT', imports),
    ...withCode('STATEMENT', statements),
    ...withCode('LITERAL', literals),
    ...withCode('ARGUMENT', names),
    ...withCode('REPEATED', repeated),
    ...withCode('MODEL', [['another model', as(MODEL, 'you/affine-5Other')]]),
    ...withCode('REVISION', [['a branch', as(REVISION, 'main')]]),
    ...withCode('IMAGE', images),
    ...withCode('ENGINE_ARGUMENT', engines),
  ]
