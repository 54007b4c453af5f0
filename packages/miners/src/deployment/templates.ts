import { digest, type Hash, type Json } from '@affine/prng'
import { CHAT_TEMPLATES } from './chat-templates.ts'

/**
 * What a value may be: a text of any kind; what the miner committed to; the image; engine
 * arguments; a selector of nodes; a list of texts; a number; True alone; False alone.
 */
export type ArgumentKind =
  | 'text'
  | 'model'
  | 'revision'
  | 'image'
  | 'engine'
  | 'selector'
  | 'texts'
  | 'whole'
  | 'number'
  | 'true'
  | 'false'

/**
 * What follows an engine's argument: nothing, a whole number, which may end in a letter as in
 * `32k`, a number, or a name, which is never a path.
 */
export type EngineKind = 'alone' | 'whole' | 'number' | 'name'

/** A template: the platform's image that it runs in, and the engine's harmless arguments. */
export interface Template {
  readonly image: string
  readonly engine: Readonly<Record<string, EngineKind>>
}

/** All that the source of a deployment may hold. Protocol §5.4. */
export interface Templates {
  /** What the platform calls such a deployment. */
  readonly standard: string
  /** The account whose images they are. */
  readonly owner: string
  /** The oldest of its images that may run a model: the tags end in their date. */
  readonly oldestTag: string
  /** Whole statements. */
  readonly imports: readonly string[]
  /** The arguments of each template. */
  readonly arguments: Readonly<Record<string, ArgumentKind>>
  readonly required: readonly string[]
  /** The arguments of `NodeSelector`. */
  readonly selector: Readonly<Record<string, ArgumentKind>>
  readonly builders: Readonly<Record<string, Template>>
  /**
   * The files of a model from which engines take chat templates: a file is a template, or has one
   * or several under `chat_template`. Other ones in the folder may not be there.
   */
  readonly modelFiles: Readonly<Record<string, 'template' | 'json'>>
  readonly neededFile: string
  readonly templatesFolder: string
  /** The chat templates that a model may have, by SHA-256. */
  readonly chatTemplates: Readonly<Record<string, string>>
}

/**
 * The list in force. Not on it, since they would let something other than the model answer: chat
 * templates, other tokenizers, adapters, draft models, plugins, middleware, code beside the model,
 * other names, configuration files. Source: `chutes/chute/template` of chutesai/chutes.
 */
export const TEMPLATES: Templates = {
  standard: 'vllm',
  owner: 'chutes',
  oldestTag: 'nightly-2026030900',
  imports: [
    'import os',
    'from chutes.chute import NodeSelector',
    'from chutes.chute.template import build_vllm_chute',
    'from chutes.chute.template.vllm import build_vllm_chute',
    'from chutes.chute.template.sglang import build_sglang_chute',
  ],
  arguments: {
    username: 'text',
    model_name: 'model',
    revision: 'revision',
    node_selector: 'selector',
    image: 'image',
    tagline: 'text',
    readme: 'text',
    concurrency: 'whole',
    engine_args: 'engine',
    max_instances: 'whole',
    scaling_threshold: 'number',
    shutdown_after_seconds: 'whole',
    allow_external_egress: 'false',
    tee: 'true',
  },
  required: ['model_name', 'revision', 'image', 'tee'],
  selector: {
    gpu_count: 'whole',
    min_vram_gb_per_gpu: 'whole',
    max_hourly_price_per_gpu: 'number',
    include: 'texts',
    exclude: 'texts',
  },
  builders: {
    build_vllm_chute: {
      image: 'vllm',
      engine: {
        '--async-scheduling': 'alone',
        '--attention-backend': 'name',
        '--block-size': 'whole',
        '--data-parallel-size': 'whole',
        '--disable-custom-all-reduce': 'alone',
        '--disable-log-stats': 'alone',
        '--dtype': 'name',
        '--enable-auto-tool-choice': 'alone',
        '--enable-chunked-prefill': 'alone',
        '--enable-expert-parallel': 'alone',
        '--enable-prefix-caching': 'alone',
        '--enforce-eager': 'alone',
        '--gpu-memory-utilization': 'number',
        '--kv-cache-dtype': 'name',
        '--language-model-only': 'alone',
        '--mamba-ssm-cache-dtype': 'name',
        '--max-model-len': 'whole',
        '--max-num-batched-tokens': 'whole',
        '--max-num-seqs': 'whole',
        '--moe-backend': 'name',
        '--no-enable-log-requests': 'alone',
        '--no-enable-prefix-caching': 'alone',
        '--pipeline-parallel-size': 'whole',
        '--quantization': 'name',
        '--reasoning-parser': 'name',
        '--seed': 'whole',
        '--tensor-parallel-size': 'whole',
        '--tool-call-parser': 'name',
      },
    },
    build_sglang_chute: {
      image: 'sglang',
      engine: {
        '--attention-backend': 'name',
        '--chunked-prefill-size': 'whole',
        '--context-length': 'whole',
        '--cuda-graph-max-bs': 'whole',
        '--data-parallel-size': 'whole',
        '--disable-cuda-graph': 'alone',
        '--disable-custom-all-reduce': 'alone',
        '--disable-overlap-schedule': 'alone',
        '--disable-radix-cache': 'alone',
        '--dist-timeout': 'whole',
        '--dp': 'whole',
        '--dp-size': 'whole',
        '--dtype': 'name',
        '--enable-cache-report': 'alone',
        '--enable-deterministic-inference': 'alone',
        '--enable-dp-attention': 'alone',
        '--enable-mixed-chunk': 'alone',
        '--enable-torch-compile': 'alone',
        '--ep-size': 'whole',
        '--grammar-backend': 'name',
        '--kv-cache-dtype': 'name',
        '--language-model-only': 'alone',
        '--mamba-ssm-dtype': 'name',
        '--max-prefill-tokens': 'whole',
        '--max-running-requests': 'whole',
        '--max-total-tokens': 'whole',
        '--mem-fraction-static': 'number',
        '--moe-runner-backend': 'name',
        '--page-size': 'whole',
        '--quantization': 'name',
        '--random-seed': 'whole',
        '--reasoning-parser': 'name',
        '--sampling-backend': 'name',
        '--schedule-conservativeness': 'number',
        '--schedule-policy': 'name',
        '--skip-server-warmup': 'alone',
        '--tensor-parallel-size': 'whole',
        '--tool-call-parser': 'name',
        '--torch-compile-max-bs': 'whole',
        '--tp': 'whole',
        '--tp-size': 'whole',
        '--watchdog-timeout': 'whole',
      },
    },
  },
  modelFiles: {
    'tokenizer_config.json': 'json',
    'chat_template.jinja': 'template',
    'chat_template.json': 'json',
    'processor_config.json': 'json',
    'special_tokens_map.json': 'json',
  },
  neededFile: 'tokenizer_config.json',
  templatesFolder: 'additional_chat_templates',
  chatTemplates: CHAT_TEMPLATES,
}

/** By what a network's constants name a list. Protocol §9.2. */
export const templatesHash = (templates: Templates): Hash =>
  digest('templates', templates as unknown as Json)

const LISTS: ReadonlyMap<Hash, Templates> = new Map([[templatesHash(TEMPLATES), TEMPLATES]])

/**
 * The list that a network's constants name. A duel keeps the one with which it began, so a new list
 * is added to those here and an old one stays while a duel may have it.
 * @throws RangeError when this release has no such list.
 */
export function templatesOf(hash: Hash): Templates {
  const list = LISTS.get(hash)
  if (list !== undefined) return list
  throw new RangeError(`no list of templates has the digest ${hash}: take another release of af`)
}
