import type { Miner } from '@affine/duel'
import { digest, type Hash, type Result } from '@affine/prng'
import { quote, type SourceFault } from './python-tokens.ts'
import { COMMIT, type CommittedModel, MODEL, readTemplate } from './template-source.ts'
import type { Templates } from './templates.ts'

/** A miner, with the digest of the list of templates that its deployment may use. Protocol §9.2. */
export type TargetMiner = Miner & { readonly templates: Hash }

/** The reason for which a deployment is not asked. Protocol §5.4. */
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
  /** Changes with each change of the deployment, even if the change is reverted. */
  readonly version: Hash
}

const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
/** Names of models whose deployments and sources Chutes shows to everyone, public or not. */
const SHOWN = /affine/i
/** Names of models for whose deployments Chutes shows a placeholder instead of the source. */
const HIDDEN = /chronoseek/i

const HOSTED = 'hosted'
const MAX_LENGTH = 128

/**
 * The properties of a deployment that Chutes reports, apart from its source.
 */
export interface Description {
  readonly slug: string
  /** The image as owner/name:tag. */
  readonly image: string
  /** The time of the last change. */
  readonly updated: string
}

/** Returns a short text property of an untrusted object, or undefined. */
function readShortText(json: unknown, name: string): string | undefined {
  const value: unknown = Object(json)[name]
  return typeof value === 'string' && value.length <= MAX_LENGTH ? value : undefined
}

/**
 * Returns the description that the platform reports of a deployment, or the first rule that the
 * description breaks. The deployment's owner chooses most of it. Never throws. Protocol §5.4.
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
    return refuse('NO_SLUG', `its slug, ${show(slug)}, is not a host name`)
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

export type ChuteRefusal = Extract<Result<never, DeploymentFault>, { readonly ok: false }>

const show = (value: string | undefined): string => (value === undefined ? 'missing' : quote(value))

/**
 * Returns a refusal if a deployment does not have the committed model and revision, or its source
 * is not shown to everyone.
 */
function checkName(json: unknown, { model, revision }: CommittedModel): ChuteRefusal | undefined {
  const [name, version] = [readShortText(json, 'name'), readShortText(json, 'revision')]
  if (!MODEL.test(model))
    return refuse('MODEL', `the committed model, ${quote(model)}, is not owner/name`)
  if (!COMMIT.test(revision))
    return refuse('REVISION', `the committed revision, ${quote(revision)}, is not 40 hex digits`)
  if (name !== model)
    return refuse('MODEL', `its name is ${show(name)}, not the committed ${quote(model)}`)
  if (version !== revision)
    return refuse('REVISION', `its revision is ${show(version)}, not the committed ${revision}`)
  if (Object(json).public !== true && !SHOWN.test(model))
    return refuse('NOT_PUBLIC', 'it is not public, and its name does not contain "affine"')
  if (HIDDEN.test(model))
    return refuse('NOT_PUBLIC', 'its name contains "chronoseek": Chutes hides the source')
  return undefined
}

function checkRuntime(json: unknown, standard: string): ChuteRefusal | undefined {
  const backend = readShortText(json, 'execution_backend') ?? HOSTED
  if (backend !== HOSTED)
    return refuse('NOT_HOSTED', `its backend is ${quote(backend)}, not ${HOSTED}`)
  const template = readShortText(json, 'standard_template')
  if (template !== standard)
    return refuse('NOT_A_TEMPLATE', `its template is ${show(template)}, not ${standard}`)
  if (Object(json).tee !== true)
    return refuse('NOT_CONFIDENTIAL', '"tee" is not true; deploy it with tee=True')
  const on = Object.entries(Object(json)).flatMap(([name, value]) => (value === true ? name : []))
  const egress = on.filter((name) => name.includes('egress'))
  if (egress.length > 0)
    return refuse('EGRESS', `it may reach other hosts: ${quote(String(egress))} is true`)
  return undefined
}

/**
 * Checks that the source of a deployment is the plain use of a template, in the image of its
 * description. Never throws. Protocol §11 states what this check cannot detect. Protocol §5.4.
 */
export function judgeSource(
  source: string,
  committed: CommittedModel,
  { slug, image, updated }: Description,
  templates: Templates,
): Result<Deployment, DeploymentFault> {
  const read = readTemplate(source, committed, templates)
  if (!read.ok) return read
  const wanted = String(read.value.image)
  if (image !== wanted) return refuse('IMAGE', `its image is ${quote(image)}, not ${quote(wanted)}`)
  // The platform's own `version` also changes when a library of the image is updated.
  const version = digest('deployment', JSON.stringify([updated, image, source]))
  return { ok: true, value: { slug, version } }
}

/**
 * Returns the first reason for which validators would refuse a chute's source, with its line if it
 * has one, or undefined. Chutes stores a source rewritten by Python's `ast.unparse`, which has the
 * same refusal. Protocol §5.4.
 */
export function findSourceRefusal(source: string, templates: Templates): string | undefined {
  const read = readTemplate(source, {}, templates)
  if (!read.ok) return read.detail
  const { model_name: name, revision } = read.value
  const wanted = { model: String(name), revision: String(revision) }
  return checkName({ ...wanted, name: wanted.model, public: false }, wanted)?.detail
}

export function refuse(code: DeploymentFault, detail: string): ChuteRefusal {
  return { ok: false, code, detail }
}
