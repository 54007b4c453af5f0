import type { Miner } from '@affine/duel'
import type { Hash, Result } from '@affine/prng'
import { quoted, type SourceFault } from './python-tokens.ts'
import { type CommittedModel, readTemplate } from './template-source.ts'
import type { Templates } from './templates.ts'

/** A miner, and the digest of the list of templates that its deployment may use. Protocol §9.2. */
export type Asked = Miner & { readonly templates: Hash }

/** Why a deployment is not asked. Protocol §5.4. */
export type DeploymentFault =
  | SourceFault
  | 'NO_ID'
  | 'NOT_SHOWN'
  | 'NOT_PUBLIC'
  | 'NOT_HOSTED'
  | 'NOT_A_TEMPLATE'
  | 'NO_SLUG'

/** A deployment that may be asked. */
export interface Deployment {
  readonly slug: string
  /** Another one after every change, also after one that was taken back. */
  readonly version: string
}

const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const MODEL = /^[A-Za-z0-9][A-Za-z0-9_.-]*\/[A-Za-z0-9][A-Za-z0-9_.-]*$/
const COMMIT = /^[0-9a-f]{40}$/
/** Of these the platform shows everybody the description and the source, public or not. */
const SHOWN = /\/affine/i

const HOSTED = 'hosted'
const MOST_TEXT = 128

type Short = string | undefined

/** What Chutes says of a chute: its owner chooses most of it. */
export interface Description {
  readonly public: boolean
  readonly name: Short
  readonly revision: Short
  readonly slug: Short
  readonly standard_template: Short
  readonly execution_backend: Short
  readonly version: Short
  readonly updated_at: Short
  readonly image: Readonly<{ name: Short; tag: Short; username: Short }>
}

/** Reads it: whatever is no short text, or not there, counts as none. */
function described(json: unknown): Description {
  const text = (from: unknown, name: string): Short => {
    const value: unknown = Object(from)[name]
    return typeof value === 'string' && value.length <= MOST_TEXT ? value : undefined
  }
  const { image } = Object(json)
  return {
    public: Object(json).public === true,
    name: text(json, 'name'),
    revision: text(json, 'revision'),
    slug: text(json, 'slug'),
    standard_template: text(json, 'standard_template'),
    execution_backend: text(json, 'execution_backend'),
    version: text(json, 'version'),
    updated_at: text(json, 'updated_at'),
    image: {
      name: text(image, 'name'),
      tag: text(image, 'tag'),
      username: text(Object(image).user, 'username'),
    },
  }
}

/**
 * What a platform says of a deployment, if that is hosted there, shown to everybody, made by a
 * standard template, and of the name and the revision that the miner committed to. Never throws.
 * Protocol §5.4.
 */
export function readDescription(
  json: unknown,
  { model, revision }: CommittedModel,
  { standard }: Templates,
): Result<Description, DeploymentFault> {
  const said = described(json)
  const is = (value: string | undefined): string =>
    value === undefined ? 'missing' : quoted(value)
  if (!MODEL.test(model))
    return refused('MODEL', `the committed model, ${quoted(model)}, is not owner/name`)
  if (!COMMIT.test(revision))
    return refused('REVISION', `the committed revision, ${quoted(revision)}, is not 40 hex digits`)
  if (said.name !== model)
    return refused('MODEL', `its name is ${is(said.name)}, not the committed ${quoted(model)}`)
  if (said.revision !== revision)
    return refused(
      'REVISION',
      `its revision is ${is(said.revision)}, not the committed ${revision}`,
    )
  if (!said.public && !SHOWN.test(model))
    return refused('NOT_PUBLIC', 'it is not public, and its name does not have "/affine"')
  if ((said.execution_backend ?? HOSTED) !== HOSTED)
    return refused('NOT_HOSTED', `its backend is ${is(said.execution_backend)}, not ${HOSTED}`)
  if (said.standard_template !== standard)
    return refused(
      'NOT_A_TEMPLATE',
      `its template is ${is(said.standard_template)}, not ${standard}`,
    )
  if (!DNS_LABEL.test(said.slug ?? ''))
    return refused('NO_SLUG', `its slug, ${is(said.slug)}, is no name of a host`)
  return { ok: true, value: said }
}

/**
 * Is the source of a deployment the plain use of a template, in the image that it says? Never
 * throws. What this cannot see is in Protocol §11. Protocol §5.4.
 */
export function judgeSource(
  source: string,
  { committed, said }: { readonly committed: CommittedModel; readonly said: Description },
  templates: Templates,
): Result<Deployment, DeploymentFault> {
  const read = readTemplate(source, committed, templates)
  if (!read.ok) return read
  const { name = '', tag = '', username } = said.image
  const image = `${username}/${name}:${tag}`
  const usual = `${templates.owner}/${read.value.imageName}:${tag}`
  const wanted = String(read.value.arguments.image ?? usual)
  if (image !== wanted)
    return refused('IMAGE', `its image is ${quoted(image)}, not ${quoted(wanted)}`)
  const { slug = '', version = '', updated_at: updated = '' } = said
  return { ok: true, value: { slug, version: `${version} ${updated}` } }
}

/** A refusal. */
export function refused(code: DeploymentFault, detail: string): Result<never, DeploymentFault> {
  return { ok: false, code, detail }
}
