import { type JsonBounds, parseBounded } from '@affine/prng'
import {
  type Caller,
  DeliveryError,
  type Exchange,
  type HttpResponse,
  isUndelivered,
  MinerError,
  type Query,
} from '../asking.ts'
import { LOOK_UP_MS } from '../chutes-key.ts'
import {
  type ChuteRefusal,
  type CommittedModel,
  type DeploymentFault,
  quote,
  refuse,
} from './deployment.ts'
import type { Templates } from './templates.ts'

const HUGGING_FACE = 'https://huggingface.co'
/**
 * Maximum size of a file. The configuration of a tokenizer with many added tokens exceeds 1 MiB.
 */
const MAX_BYTES = 4 * 1024 * 1024
/**
 * Limits of a JSON file. transformers writes at least 180 bytes for an added token, with 7 commas
 * and brackets, so a tokenizer's configuration of 4 MiB has at most 163,000 commas and brackets.
 */
const BOUNDS: JsonBounds = { items: 2 ** 18, depth: 32 }
/** Maximum redirects. Files are often stored on another host. */
const MAX_REDIRECTS = 3

/** The means to fetch models' files. No key is sent. */
type Hub = Pick<Caller, 'exchange' | 'now'> & Pick<Query, 'signal'>

/**
 * Returns a refusal if a chat template of a model at the committed revision is not on the list, if
 * a file is too large or unreadable for an engine, if `neededFile` is missing, or if
 * `templatesFolder` is not empty; otherwise undefined. A file that is not public, as in a private
 * or a new repository, has a separate code. Each call fetches every file, so that two validators
 * agree when a file is gone. Rejects if the platform fails: without a connection, late, or with a
 * status of 429 or 5xx. Protocol §5.4.
 */
export async function checkModelFiles(
  { model, revision }: CommittedModel,
  templates: Templates,
  hub: Hub,
): Promise<ChuteRefusal | undefined> {
  const { modelFiles, neededFile, templatesFolder, chatTemplates } = templates
  const about = (name: string, { code, detail }: ChuteRefusal): ChuteRefusal =>
    refuse(code, `${name} of ${model} at ${revision} ${detail}`)
  for (const [name, kind] of Object.entries(modelFiles)) {
    const file = await fetchFile(`${HUGGING_FACE}/${model}/resolve/${revision}/${name}`, hub)
    if (file.status === 404 && name !== neededFile) continue
    const refusal = await checkFile(file, kind, chatTemplates)
    if (refusal !== undefined) return about(name, refusal)
  }
  const folder = `${HUGGING_FACE}/api/models/${model}/tree/${revision}/${templatesFolder}`
  const refusal = checkFolder(await fetchFile(folder, hub))
  return refusal && about(`the folder ${templatesFolder}`, refusal)
}

const UNREADABLE =
  `is not a JSON object of at most ${BOUNDS.items} commas and opening brackets, ` +
  `${BOUNDS.depth} deep, whose chat_template, if any, is a text or a list of templates`

async function checkFile(
  { status, text }: HubResponse,
  kind: string,
  chatTemplates: Templates['chatTemplates'],
): Promise<ChuteRefusal | undefined> {
  if (status !== 200) return refuse(classifyStatus(status), text)
  const texts = kind === 'json' ? readChatTemplates(text) : [text]
  if (texts === undefined) return refuse('MODEL_FILE', UNREADABLE)
  // There may be 131,071 templates, so hashing stops at the first that is not on the list.
  for (const each of texts) {
    const digest = await hashTemplate(each)
    if (!Object.hasOwn(chatTemplates, digest))
      return refuse('CHAT_TEMPLATE', `has a chat template that is not on the list, ${digest}`)
  }
  return undefined
}

const classifyStatus = (status: number): DeploymentFault =>
  [401, 403, 404].includes(status) ? 'MODEL_NOT_SHOWN' : 'MODEL_FILE'

/** Returns a refusal unless the folder of additional chat templates is missing or empty. */
function checkFolder({ status, text }: HubResponse): ChuteRefusal | undefined {
  if (status === 404 || (status === 200 && text.trim() === '[]')) return undefined
  if (status !== 200) return refuse(classifyStatus(status), text)
  return refuse('CHAT_TEMPLATE', 'may not exist: it contains more chat templates')
}

type HubResponse = Pick<HttpResponse, 'status' | 'text'>

/** Fetches a file and follows redirects. If the status is not 200, `text` states the failure. */
async function fetchFile(url: string, hub: Hub, hops = MAX_REDIRECTS): Promise<HubResponse> {
  const { exchange, signal, now } = hub
  const query = { url, replyMs: LOOK_UP_MS, maxBytes: MAX_BYTES, signal, now }
  const received = await lookUp(exchange, query)
  if (received === undefined) return { status: 413, text: `has more than ${MAX_BYTES} bytes` }
  const { status, headers } = received
  if (status === 200) return received
  const isRedirect = status >= 300 && status < 400 && headers.location !== undefined
  const next = isRedirect ? resolveRedirect(headers.location, url) : undefined
  if (next !== undefined && hops > 0) return fetchFile(next, hub, hops - 1)
  return { status, text: `has status ${status}; check that it exists and is public` }
}

/**
 * Fetches what a platform publishes. Resolves with undefined if the response is too large. Rejects
 * if the platform fails. Protocol §5.4.
 */
export async function lookUp(exchange: Exchange, query: Query): Promise<HttpResponse | undefined> {
  try {
    const received = await exchange(query)
    const { status } = received
    if (isUndelivered(status)) throw new DeliveryError(`${quote(query.url)}: status ${status}`)
    return received
  } catch (error) {
    if (error instanceof MinerError && error.code === 'too-large') return undefined
    throw error
  }
}

/** Returns the target of a redirect from `url`, if it has the same protocol. */
function resolveRedirect(location: unknown, url: string): string | undefined {
  const target = URL.canParse(`${location}`, url) ? new URL(`${location}`, url) : undefined
  return target?.protocol === new URL(url).protocol ? target.href : undefined
}

/** Returns the chat templates in a JSON file, or undefined if the file is malformed. */
function readChatTemplates(text: string): readonly string[] | undefined {
  try {
    const file = parseBounded(text, BOUNDS)
    if (typeof file !== 'object' || file === null || Array.isArray(file)) return undefined
    const value: unknown = Object.hasOwn(file, 'chat_template') ? Object(file).chat_template : null
    if (value === null) return []
    const texts = Array.isArray(value) ? value.map((each) => Object(each).template) : [value]
    return texts.every((each) => typeof each === 'string') ? texts : undefined
  } catch {
    return undefined
  }
}

/** Returns the digest of a chat template as in `Templates.chatTemplates`. */
async function hashTemplate(template: string): Promise<string> {
  const bytes = new TextEncoder().encode(template.replace(/\n$/, ''))
  const hash = await crypto.subtle.digest('SHA-256', bytes)
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
