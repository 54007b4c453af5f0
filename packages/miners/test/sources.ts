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
const SELECTOR = "NodeSelector(gpu_count=1, include=['pro_6000', 'h200'])"
const ENGINE = '--context-length 32768 --tool-call-parser qwen25'
const IMAGE = `chutes/sglang:${TAG}`
const BUILDER = 'from chutes.chute.template.sglang import build_sglang_chute\n'

/** Replaces a part of the source. */
const PLACES = {
  readme: (text: string) => as(README, text),
  argument: (text: string) => as('concurrency=32', text),
  number: (text: string) => as('=32', `=${text}`),
  selector: (text: string) => as(SELECTOR, `NodeSelector(${text})`),
  engine: (text: string) => as(ENGINE, text),
  tag: (text: string) => as(TAG, text),
  end: (text: string) => as('tee=True)\n', text),
}

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
  ].map(PLACES.engine),
  as('--max-model-len 32768', allArguments('build_vllm_chute'), VLLM),
  ...[
    '',
    "gpu_count=8, min_vram_gb_per_gpu=140, exclude=['b200', 'mi300x']",
    'max_hourly_price_per_gpu=2.5, include=[]',
    `include=["l40's)", 'a6000_ada']`,
  ].map(PLACES.selector),
  ...[
    `"It's a (model) — é, 模型."`,
    String.raw`'\x07\r\n\t\u200b\U000e0001\uffff \\x41 \'"'`,
    String.raw`'\\'`,
    `'", tee=False, x="'`,
    "''",
  ].map(PLACES.readme),
  ...['nightly-2026030900', 'nightly-2026112701'].map(PLACES.tag),
  ...[
    "allow_external_egress=False, tagline='A model, small'",
    'max_instances=4, shutdown_after_seconds=28800, scaling_threshold=1',
    'scaling_threshold=1.25e-05',
  ].map((text) => as('scaling_threshold=0.5', text)),
]

const first = (text: string): string => `${text}\n${SOURCE}`
/** Returns altered sources by the text that replaces a part, and the part. */
const each = (place: keyof typeof PLACES, texts: readonly string[]) =>
  Object.fromEntries(
    texts.map((text) => [`${JSON.stringify(text)} as ${place}`, PLACES[place](text)]),
  )

/** Altered sources by what is altered, by the code of their refusal. */
const ALTERED: Readonly<Partial<Record<DeploymentFault, Readonly<Record<string, string>>>>> = {
  TOO_LARGE: { 'too many bytes': as('A model', 'é'.repeat(2 ** 14)) },
  IMPORT: {
    'a second statement after a semicolon': as('import os', 'import os; import sys'),
    'an import of a client': as('import os', 'import requests'),
    'a relative import': as('import os', 'from . import os'),
    'a template from elsewhere': as('chutes.chute.template.sglang', 'mine'),
    'a renamed template': as('import build', 'import x as build'),
    'an import of Chute': as('import NodeSelector', 'import NodeSelector, Chute'),
    'a carriage return in a line': as('import os', 'import os\rimport sys'),
    'line ends of Windows': SOURCE.replaceAll('\n', '\r\n'),
  },
  STATEMENT: {
    'a cord of its own': `${SOURCE}@chute.cord()\ndef chat(self, data):\n    return 'A1'`,
    'a function': first('def f(x): return x'),
    'an environment variable': first('os.environ["NO_PROXY"] = "*"'),
    'a second call': SOURCE + SOURCE,
    'a statement after the call': `${SOURCE}chute.x = 1\n`,
    'a late import': as(BUILDER, '') + BUILDER,
    'a comment that declares an encoding': first('# -*- coding: utf-7 -*-'),
    'a blank line at the end': `${SOURCE}\n`,
    'an indent': first(' import os'),
    'a form feed': first('\fimport os'),
    'a byte order mark': `\uFEFF${SOURCE}`,
    'a call over two lines': as('username=', '\nusername='),
    'a continued line': as('username=', '\\\nusername='),
    'no content': '',
    'no call': BUILDER,
    'another name': as('chute = build', 'app = build'),
    'two names': as('chute = build', 'chute = x = build'),
    'a hand-built template': as('= build_sglang_chute(', '= Chute('),
    'no template import': as(BUILDER, ''),
    'a template that was not imported': as('= build_sglang_chute(', '= build_vllm_chute('),
    ...each('end', [
      ...['tee=True)()', 'tee=True), x', 'tee=True); f()', 'tee=True) or f()'],
      ...['tee=True)  # f()', 'tee=True', 'tee=True]', 'tee=True,)'],
    ]),
    ...each('readme', [
      ...["f'{x}'", "b'a'", "'a' 'b'", "('a')", "'a' + 'b'", "'a'.format(x)", 'os', 'None'],
      ...["open('/x').read()", "'''a'''", "'a", "'a\\'", `'a"`, "{'a': 'b'}", "('a', 'b')"],
      ...["'\\x4'", "'\\d'", "'\\101'", "'\\N{BULLET}'", "'\\U00110000'", "'\t'", "'\0'"],
      ...["'a\rb'", "'a\u0085b'", '[x for x in y]', "[['a']]", '[1, 2]'],
    ]),
    ...each('number', [
      ...['3_2', '032', '0x20', '1e5', '.5', '.', '-32', '3+2', '３２', '9'.repeat(16)],
      ...['32 max_instances=1', '32, ', '32,max_instances=1', '32,\u00a0max_instances=1'],
    ]),
    ...each('argument', ['concurrency = 32', '32', 'username, me', '**options', '*options']),
    'a name that Python normalises': as('model_name=', 'ｍodel_name='),
    'an image built here': as(`'${IMAGE}'`, "Image(username='me')"),
    'another function as a selector': as('NodeSelector(gpu', 'Other(gpu'),
    'a choice of two selectors': as(SELECTOR, 'NodeSelector() or f()'),
    ...each('selector', ['gpu_count=f()', "include=['a'.join(x)]", '**options', '1']),
    'a selector in a selector': PLACES.selector('gpu_count=NodeSelector()'),
  },
  LITERAL: {
    'a text for a number': PLACES.argument("concurrency='32'"),
    'a fraction for a whole number': PLACES.argument('concurrency=32.5'),
    'True for a number': PLACES.argument('concurrency=True'),
    'access to other hosts': PLACES.argument('allow_external_egress=True'),
    'a number for True': as('tee=True', 'tee=1'),
    'tee=False': as('tee=True', 'tee=False'),
    'a list for a text': PLACES.readme("['a']"),
    'a text for a list': PLACES.selector("include='h100'"),
    'a text for a selector': as(SELECTOR, "'NodeSelector()'"),
    'engine arguments as a list': as(`'${ENGINE}'`, "['--dp', '1']"),
    'an escape in the model': as(`'${MODEL}`, `'\\x6d${MODEL.slice(1)}`),
    'an escape in the revision': as(`'${REVISION}`, `'\\x66${REVISION.slice(1)}`),
    'an escape in the image': as(`'${IMAGE}`, `'\\x63${IMAGE.slice(1)}`),
    'an escape in engine arguments': PLACES.engine('--dp 1\\n--chat-template x'),
    'double quotes around engine arguments': as(`'${ENGINE}'`, `"${ENGINE}"`),
  },
  ARGUMENT: {
    'no model': as(`model_name='${MODEL}', `, ''),
    'no revision': as(`revision='${REVISION}', `, ''),
    'no image': as(`image='${IMAGE}', `, ''),
    'no tee': as(', tee=True', ''),
    ...each('argument', ['lock_modules=False', "constructor='me'", 'gpu_count=1']),
    ...each('selector', ["gpu_uuid='x'", 'tee=True']),
  },
  REPEATED: {
    'the model twice': PLACES.argument(`model_name='${MODEL}'`),
    'an argument of a selector twice': PLACES.selector('gpu_count=1, gpu_count=1'),
  },
  MODEL: { 'another model': as(MODEL, 'you/affine-5Other') },
  REVISION: { 'a branch': as(REVISION, 'main') },
  IMAGE: {
    "another owner's image": as('chutes/sglang:', 'people/sglang:'),
    "another engine's image": as('chutes/sglang:', 'chutes/vllm:'),
    'a similar image name': as('chutes/sglang:', 'chutes/sglang_mine:'),
    'an image without a tag': as(IMAGE, 'chutes/sglang'),
    ...each('tag', ['nightly-2026030899', 'nightly-latest', 'nightly-20260401001']),
  },
  ENGINE_ARGUMENT: each('engine', [
    '--chat-template /app/solver.jinja',
    '--dp 1 --dtype auto --chat-template x',
    '--context 5', // A shortened name.
    '--context_length 5',
    'constructor', // A property that every object inherits.
    'constructor 5',
    '--dtype auto --dtype /x',
    '--max-running-requests 5x',
    '--tool-call-parser /x.py',
    '--max-running-requests many',
    '--mem-fraction-static most',
    '--dp 1 2',
    '--enable-mixed-chunk yes',
    '--dp --enable-mixed-chunk',
    '--enable-mixed-chunk\u2003--chat-template=x',
    '--max-model-len 5', // Another engine's argument.
  ]),
}

/** Altered sources, and the codes of their refusals. */
export const altered: readonly (readonly [what: string, source: string, code: string])[] =
  Object.entries(ALTERED).flatMap(([code, sources]) =>
    Object.entries(sources).map(([what, source]) => [what, source, code] as const),
  )
