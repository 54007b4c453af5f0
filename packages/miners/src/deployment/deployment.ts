import type { Miner } from '@affine/duel'
import { digest, type Hash, type Result } from '@affine/prng'
import { quoted, type SourceFault } from './python-tokens.ts'
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
  readonly updated_at: Short
  /** Does it run where nobody can look into its memory? */
  readonly tee: boolean
  /** Names of flags by which it may reach other hosts. */
  readonly egress: readonly string[]
  readonly image: Readonly<{ name: Short; tag: Short; username: Short }>
}

/** Reads it: whatever is no short text, or not there, counts as none. */
function described(json: unknown): Description {
  const text = (from: unknown, name: string): Short => {
    const value: unknown = Object(from)[name]
    return typeof value === 'string' && value.length <= MOST_TEXT ? value : undefined
  }
  const { image } = Object(json)
  const flags = Object.entries(Object(json)).filter(([, value]) => value === true)
  return {
    public: Object(json).public === true,
    name: text(json, 'name'),
    revision: text(json, 'revision'),
    slug: text(json, 'slug'),
    standard_template: text(json, 'standard_template'),
    execution_backend: text(json, 'execution_backend'),
    updated_at: text(json, 'updated_at'),
    tee: Object(json).tee === true,
    egress: flags.map(([name]) => name).filter((name) => name.includes('egress')),
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
  committed: CommittedModel,
  { standard }: Templates,
): Result<Description, DeploymentFault> {
  const said = described(json)
  return refusedName(said, committed) ?? refusedRun(said, standard) ?? { ok: true, value: said }
}

type NotAsked = Extract<Result<never, DeploymentFault>, { readonly ok: false }>

const is = (value: Short): string => (value === undefined ? 'missing' : quoted(value))

/** Why a deployment is not of the model that was committed, or is not shown to everybody. */
function refusedName(
  said: Pick<Description, 'name' | 'revision' | 'public'>,
  { model, revision }: CommittedModel,
): NotAsked | undefined {
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
    return refused('NOT_PUBLIC', 'it is not public, and its name does not have "affine"')
  if (HIDDEN.test(model))
    return refused('NOT_PUBLIC', 'its name has "chronoseek": no source of such a one is shown')
  return undefined
}

/** Why a deployment does not run as it must. */
function refusedRun(said: Description, standard: string): NotAsked | undefined {
  if ((said.execution_backend ?? HOSTED) !== HOSTED)
    return refused('NOT_HOSTED', `its backend is ${is(said.execution_backend)}, not ${HOSTED}`)
  if (said.standard_template !== standard)
    return refused(
      'NOT_A_TEMPLATE',
      `its template is ${is(said.standard_template)}, not ${standard}`,
    )
  if (!said.tee) return refused('NOT_CONFIDENTIAL', '"tee" is not true: deploy it with tee=True')
  if (said.egress.length > 0)
    return refused('EGRESS', `it may reach other hosts: ${quoted(String(said.egress))} is true`)
  if (!DNS_LABEL.test(said.slug ?? ''))
    return refused('NO_SLUG', `its slug, ${is(said.slug)}, is no name of a host`)
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
  const { name = '', tag = '', username } = said.image
  const image = `${username}/${name}:${tag}`
  const wanted = String(read.value.arguments.image)
  if (image !== wanted)
    return refused('IMAGE', `its image is ${quoted(image)}, not ${quoted(wanted)}`)
  const { slug = '', updated_at: updated = '' } = said
  // Not its `version`: that changes for all chutes when the platform mends an image's library.
  const version = digest('deployment', JSON.stringify([updated, image, source]))
  return { ok: true, value: { slug, version } }
}

/**
 * Everything for which validators would refuse a chute's source, before it is deployed, each with
 * its line if it has one. What Chutes makes of a source is refused for the same. Protocol §5.4.
 */
export function sourceRefusals(source: string, templates: Templates): readonly string[] {
  const read = readTemplate(source, {}, templates)
  if (!read.ok) return read.refusals.map(({ detail }) => detail)
  const { model_name: name, revision } = read.value.arguments
  const wanted = { model: String(name), revision: String(revision) }
  const refusal = refusedName({ ...wanted, name: wanted.model, public: false }, wanted)
  return refusal === undefined ? [] : [refusal.detail]
}

/** A refusal. */
export function refused(code: DeploymentFault, detail: string): NotAsked {
  return { ok: false, code, detail }
}
