import type { Miner } from '@affine/duel'
import { digest, type Hash, type Result } from '@affine/prng'
import { quote, type SourceFault } from './python-tokens.ts'
import { COMMIT, type CommittedModel, MODEL, readTemplate } from './template-source.ts'
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
  | 'NOT_CONFIDENTIAL'
  | 'EGRESS'
  | 'NO_SLUG'
  | 'MODEL_FILE'
  | 'MODEL_NOT_SHOWN'
  | 'CHAT_TEMPLATE'

/** A deployment that may be asked. */
export interface Deployment {
  readonly slug: string
  /** Another one after every change, also after one that was taken back. */
  readonly version: Hash
}

const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
/** Of these the platform shows everybody the description and the source, public or not. */
const SHOWN = /affine/i
/** Of these it shows a placeholder. */
const HIDDEN = /chronoseek/i

const HOSTED = 'hosted'
const MAX_TEXT_LENGTH = 128

/** What Chutes says of a deployment that may be asked by it, if its source is as it must be. */
export interface Description {
  readonly slug: string
  /** The image, with its owner and its tag. */
  readonly image: string
  /** When it was last changed. */
  readonly updated: string
}

/** A short text that a stranger's object has under a name; undefined for whatever else is there. */
function readShortText(json: unknown, name: string): string | undefined {
  const value: unknown = Object(json)[name]
  return typeof value === 'string' && value.length <= MAX_TEXT_LENGTH ? value : undefined
}

/**
 * What a platform says of a deployment, if that is hosted there, shown to everybody, made by a
 * standard template, and of the name and the revision that the miner committed to. Its owner
 * chooses most of it. Never throws. Protocol §5.4.
 */
export function readDescription(
  json: unknown,
  committed: CommittedModel,
  { standard }: Templates,
): Result<Description, DeploymentFault> {
  const slug = readShortText(json, 'slug')
  const refusal = checkName(json, committed) ?? checkRuntime(json, standard)
  if (refusal !== undefined) return refusal
  if (slug === undefined || !DNS_LABEL.test(slug))
    return refuse('NO_SLUG', `its slug, ${describeValue(slug)}, is no name of a host`)
  const { image } = Object(json)
  const [name = '', tag = ''] = [readShortText(image, 'name'), readShortText(image, 'tag')]
  const username = readShortText(Object(image).user, 'username')
  const value = {
    slug,
    image: `${username}/${name}:${tag}`,
    updated: readShortText(json, 'updated_at') ?? '',
  }
  return { ok: true, value }
}

/** A refusal of a deployment. */
export type Refusal = Extract<Result<never, DeploymentFault>, { readonly ok: false }>

const describeValue = (value: string | undefined): string =>
  value === undefined ? 'missing' : quote(value)

/** Why a deployment is not of the model that was committed, or is not shown to everybody. */
function checkName(json: unknown, { model, revision }: CommittedModel): Refusal | undefined {
  const [name, said] = [readShortText(json, 'name'), readShortText(json, 'revision')]
  if (!MODEL.test(model))
    return refuse('MODEL', `the committed model, ${quote(model)}, is not owner/name`)
  if (!COMMIT.test(revision))
    return refuse('REVISION', `the committed revision, ${quote(revision)}, is not 40 hex digits`)
  if (name !== model)
    return refuse('MODEL', `its name is ${describeValue(name)}, not the committed ${quote(model)}`)
  if (said !== revision)
    return refuse(
      'REVISION',
      `its revision is ${describeValue(said)}, not the committed ${revision}`,
    )
  if (Object(json).public !== true && !SHOWN.test(model))
    return refuse('NOT_PUBLIC', 'it is not public, and its name does not have "affine"')
  if (HIDDEN.test(model))
    return refuse('NOT_PUBLIC', 'its name has "chronoseek": no source of such a one is shown')
  return undefined
}

/** Why a deployment does not run as it must. */
function checkRuntime(json: unknown, standard: string): Refusal | undefined {
  const backend = readShortText(json, 'execution_backend') ?? HOSTED
  if (backend !== HOSTED)
    return refuse('NOT_HOSTED', `its backend is ${quote(backend)}, not ${HOSTED}`)
  const template = readShortText(json, 'standard_template')
  if (template !== standard)
    return refuse('NOT_A_TEMPLATE', `its template is ${describeValue(template)}, not ${standard}`)
  if (Object(json).tee !== true)
    return refuse('NOT_CONFIDENTIAL', '"tee" is not true: deploy it with tee=True')
  const on = Object.entries(Object(json)).flatMap(([name, value]) => (value === true ? name : []))
  const egress = on.filter((name) => name.includes('egress'))
  if (egress.length > 0)
    return refuse('EGRESS', `it may reach other hosts: ${quote(String(egress))} is true`)
  return undefined
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
  const { slug, image, updated } = said
  const wanted = String(read.value.image)
  if (image !== wanted) return refuse('IMAGE', `its image is ${quote(image)}, not ${quote(wanted)}`)
  // Not its `version`: that changes for all chutes when the platform mends an image's library.
  const version = digest('deployment', JSON.stringify([updated, image, source]))
  return { ok: true, value: { slug, version } }
}

/**
 * The first reason for which validators would refuse a chute's source, before it is deployed, with
 * its line if it has one. What Chutes makes of a source is refused for the same. Protocol §5.4.
 */
export function findSourceRefusal(source: string, templates: Templates): string | undefined {
  const read = readTemplate(source, {}, templates)
  if (!read.ok) return read.detail
  const { model_name: name, revision } = read.value
  const wanted = { model: String(name), revision: String(revision) }
  return checkName({ ...wanted, name: wanted.model, public: false }, wanted)?.detail
}

/** A refusal. */
export function refuse(code: DeploymentFault, detail: string): Refusal {
  return { ok: false, code, detail }
}
