import { TEMPLATES } from '../src/deployment/templates.ts'

/*
 * Sources in the shape of public chutes, which use a template and nothing else. The shape is that
 * of the examples in chutesai/chutes and of its templates' arguments.
 */
export const MODEL = 'me/affine-5Miner'
export const REVISION = 'f7361cd9ff99396dbf6bd644ad846015e59ed4fc'

/** A source for vLLM. The altered sources refer to its line numbers. */
export const VLLM: string = `import os
from chutes.chute import NodeSelector
from chutes.chute.template.vllm import build_vllm_chute

# The smallest GPU is enough.
chute = build_vllm_chute(
    username="me",
    readme="## A model\\n### Hello.",
    model_name="${MODEL}",
    image="chutes/vllm:nightly-2026031700",
    revision="${REVISION}",
    concurrency=32,
    node_selector=NodeSelector(
        gpu_count=1,
        min_vram_gb_per_gpu=24,
        include=["a100", "h100"],
    ),
    engine_args=(
        "--max-model-len 32768 "
        "--tool-call-parser hermes"
    ),
    scaling_threshold=0.5,
    tee=True,
)
`

/** A source for SGLang. */
export const SGLANG: string = VLLM.replaceAll('vllm', 'sglang').replace(
  '--max-model-len',
  '--context-length',
)

/** The shortest source. */
const SHORT = `from chutes.chute.template.vllm import build_vllm_chute
chute = build_vllm_chute(model_name='${MODEL}', revision='${REVISION}', image='chutes/vllm:nightly-2026030900', tee=True)
`

/** A source whose texts and comments contain characters that could end them. */
export const SPACIOUS: string = `${SHORT.trimEnd().slice(0, -1)},  # It "plays".
    readme='''It's a "model", é.\n\n## Read 'me':\n''', tagline=( # no
        "a \\"b\\"" 'c'), username=( ("me") ), # "one", (two
    engine_args=" " '' "  ", node_selector = NodeSelector(
        include=["a100", 'h' "100", ("l40s" # \\
    )], exclude=[ ] ,gpu_count=1 ) , scaling_threshold = 0.5,
) # the end, ''' no text
`

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
const engineArguments = [
  allArguments('build_vllm_chute'),
  '--max-model-len=16384 --enforce-eager',
  '  --block-size 32\\n  --seed 7  ',
  // The platform adds its own arguments.
  '--tensor-parallel-size 2 --gpu-memory-utilization=0.9 --gpu-memory-utilization 0.8',
  '',
]
const sglangArguments = [allArguments('build_sglang_chute'), '--tp 8 --chunked-prefill-size -1']
const selectors = [
  'NodeSelector()',
  'NodeSelector(gpu_count=8, min_vram_gb_per_gpu=140, include=["h200"])',
  'NodeSelector(gpu_count=8, exclude=["b200", "mi300x"],)',
  'NodeSelector(\n    max_hourly_price_per_gpu=2.5,\n    include=[\n        "l40s",  # cheap\n        "a6000_ada",\n    ],\n)',
  'NodeSelector(include=[])',
]
const readmes = [
  '"""# A model\n\nIt "plays".\n"""',
  "'''It's a model — é, 模型.\n'''",
  '"one" "two"',
  '("one "\n  # in between\n  \'two\')',
  '"a\\tb\\\\c\\"d\\\'e"',
  // As ast.unparse writes them.
  String.raw`'\x07\r\n\t\u200b\U000e0001\uffff \\x41 \'"'`,
  '"""\nimport os; os.system("x")\n# no statement\n"""',
]
const images = ['chutes/vllm:nightly-2026030900', 'chutes/vllm:nightly-2026112701']
const more = [
  'allow_external_egress=False',
  'max_instances=4, shutdown_after_seconds=28800',
  'tagline="A model, small"',
  'scaling_threshold=1',
  'scaling_threshold=1.25e-05', // as ast.unparse writes it
]

const ENGINE = /engine_args=\([^)]*\)/
const SELECTOR = /node_selector=NodeSelector\([^)]*\)/

export const plain: readonly string[] = [
  VLLM,
  SGLANG,
  SHORT,
  SPACIOUS,
  SHORT.replace('.vllm', ''),
  VLLM.replace('import os\n', ''),
  VLLM.replaceAll('\n', '\r\n'),
  `\n\n# A comment — not ASCII: é\n${VLLM}# the end`,
  VLLM.replace('chute = build', 'chute=build').replaceAll('    ', '\t'),
  ...engineArguments.map((text) => VLLM.replace(ENGINE, `engine_args="${text}"`)),
  ...sglangArguments.map((text) => SGLANG.replace(ENGINE, `engine_args="${text}"`)),
  ...selectors.map((text) => VLLM.replace(SELECTOR, `node_selector=${text}`)),
  ...readmes.map((text) => VLLM.replace('"## A model\\n### Hello."', text)),
  ...images.map((text) => VLLM.replace('chutes/vllm:nightly-2026031700', text)),
  ...more.map((text) => VLLM.replace('scaling_threshold=0.5', text)),
  VLLM.replace('concurrency=32', 'concurrency=256'),
  VLLM.replace('"me"', '"chutes"'),
  VLLM.replace(`"${MODEL}"`, String.raw`'\x6de' "\u002F\U00000061ffine-" """5Miner"""`),
]
