import type { Miner } from '@affine/duel'
import type { Hash, Result } from '@affine/prng'
import type { Templates } from './templates.ts'

/** A miner, with the digest of the list of templates that its deployment may use. Protocol §9.2. */
export type TargetMiner = Miner & { readonly templates: Hash }

/** The reason for which a deployment is not asked. Protocol §5.4. */
export type DeploymentFault =
  | 'NO_ID'
  | 'NOT_SHOWN'
  | 'TOO_LARGE'
  | 'NOT_PUBLIC'
  | 'NOT_HOSTED'
  | 'NOT_A_TEMPLATE'
  | 'NOT_CONFIDENTIAL'
  | 'EGRESS'
  | 'NO_SLUG'
  | 'MODEL'
  | 'REVISION'
  | 'IMAGE'
  | 'IMPORT'
  | 'STATEMENT'
  | 'ARGUMENT'
  | 'REPEATED'
  | 'LITERAL'
  | 'ENGINE_ARGUMENT'
  | 'MODEL_FILE'
  | 'MODEL_NOT_SHOWN'
  | 'CHAT_TEMPLATE'

/** A deployment that may be asked. */
export interface Deployment {
  readonly slug: string
  /** Changes with each change of the deployment, even if the change is reverted. */
  readonly version: Hash
}

export interface CommittedModel {
  readonly model: string
  readonly revision: string
}

const MODEL = /^[A-Za-z0-9][A-Za-z0-9_.-]*\/[A-Za-z0-9][A-Za-z0-9_.-]*$/
const COMMIT = /^[0-9a-f]{40}$/
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

const QUOTE_LENGTH = 60

/** Returns an untrusted text for a message: short, and harmless to a terminal. */
export function quote(text: string): string {
  const short = text.length > QUOTE_LENGTH ? `${text.slice(0, QUOTE_LENGTH)}…` : text
  return JSON.stringify(short.replace(/[^ -~…]/g, '?'))
}

const show = (value: string | undefined): string => (value === undefined ? 'missing' : quote(value))

/**
 * Returns a refusal if a deployment does not have the committed model and revision, or its source
 * is not shown to everyone.
 */
export function checkName(
  json: unknown,
  { model, revision }: CommittedModel,
): ChuteRefusal | undefined {
  const [name, version] = [readShortText(json, 'name'), readShortText(json, 'revision')]
  if (!MODEL.test(model)) return refuse('MODEL', `the model, ${quote(model)}, is not owner/name`)
  if (!COMMIT.test(revision))
    return refuse('REVISION', `the revision, ${quote(revision)}, is not 40 hex digits`)
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

export function refuse(code: DeploymentFault, detail: string): ChuteRefusal {
  return { ok: false, code, detail }
}
