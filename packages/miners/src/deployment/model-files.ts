import { type JsonBounds, parseBounded } from '@affine/prng'
import {
  AskingProblem,
  type Caller,
  type Exchange,
  isUndelivered,
  type Query,
  type Received,
  Undelivered,
} from '../asking.ts'
import { LOOK_UP_MS } from '../chutes-key.ts'
import { type DeploymentFault, type Refusal, refuse } from './deployment.ts'
import { quote } from './python-tokens.ts'
import type { CommittedModel } from './template-source.ts'
import type { Templates } from './templates.ts'

const HUGGING_FACE = 'https://huggingface.co'
/** The configuration of a tokenizer with many added tokens has more than one MiB. */
const MAX_BYTES = 4 * 1024 * 1024
/**
 * For an added token, transformers writes at least 180 bytes, with 7 commas and brackets. So a
 * tokenizer's configuration of 4 MiB has up to 163,000 of these.
 */
const BOUNDS: JsonBounds = { items: 2 ** 18, depth: 32 }
/** So many redirects are followed. Files are often kept by another host. */
const MAX_REDIRECTS = 3

/** Where models' files are, and what they are asked for with. No key goes there. */
type Hub = Pick<Caller, 'exchange' | 'now'> & Pick<Query, 'signal'>

/**
 * Why a model may not be asked for its files at the committed revision: a chat template in them is
 * not on the list, or a file is not there, too large, or none that an engine reads. Undefined when
 * nothing is wrong. A file that is not shown, as of a repository that is private or was published a
 * moment ago, has a code of its own. Every file is asked for at each call, also one that was read
 * before, so that two validators do not differ when one is gone. Rejects when the platform fails:
 * without a connection, late, or with a status of 429 or 5xx. Protocol §5.4.
 */
export async function checkModelFiles(
  { model, revision }: CommittedModel,
  templates: Templates,
  hub: Hub,
): Promise<Refusal | undefined> {
  const { modelFiles, neededFile, templatesFolder, chatTemplates } = templates
  const about = (name: string, { code, detail }: Refusal): Refusal =>
    refuse(code, `${name} of ${model} at ${revision} ${detail}`)
  for (const [name, kind] of Object.entries(modelFiles)) {
    const file = await fetchFile(`${HUGGING_FACE}/${model}/resolve/${revision}/${name}`, hub)
    if (file.status === 404 && name !== neededFile) continue
    const why = await checkFile(file, kind, chatTemplates)
    if (why !== undefined) return about(name, why)
  }
  const folder = `${HUGGING_FACE}/api/models/${model}/tree/${revision}/${templatesFolder}`
  const why = checkFolder(await fetchFile(folder, hub))
  return why && about(`the folder ${templatesFolder}`, why)
}

const UNREADABLE =
  `is no JSON object of at most ${BOUNDS.items} commas and opening brackets, ` +
  `${BOUNDS.depth} deep, whose chat_template is a text or a list`

/** What is wrong with a file. */
async function checkFile(
  { status, text }: HubResponse,
  kind: 'template' | 'json',
  chatTemplates: Templates['chatTemplates'],
): Promise<Refusal | undefined> {
  if (status !== 200) return refuse(classifyStatus(status), text)
  const texts = kind === 'json' ? readChatTemplates(text) : [text]
  if (texts === undefined) return refuse('MODEL_FILE', UNREADABLE)
  // One at a time, up to the first that is not on the list: there may be 131,071.
  for (const each of texts) {
    const digest = await hashTemplate(each)
    if (!Object.hasOwn(chatTemplates, digest))
      return refuse('CHAT_TEMPLATE', `has a chat template that is not on the list, ${digest}`)
  }
  return undefined
}

/** The code for a file that came with another status than 200. */
const classifyStatus = (status: number): DeploymentFault =>
  [401, 403, 404].includes(status) ? 'MODEL_NOT_SHOWN' : 'MODEL_FILE'

/** What is wrong with the folder in which engines look for more templates: that it is there. */
function checkFolder({ status, text }: HubResponse): Refusal | undefined {
  if (status === 404 || (status === 200 && text.trim() === '[]')) return undefined
  if (status !== 200) return refuse(classifyStatus(status), text)
  return refuse('CHAT_TEMPLATE', 'may not be there: it holds more chat templates')
}

type HubResponse = Pick<Received, 'status' | 'text'>

/** What is at a URL, after redirects; if that is not status 200, `text` says what is wrong. */
async function fetchFile(url: string, hub: Hub, hops = MAX_REDIRECTS): Promise<HubResponse> {
  const { exchange, signal, now } = hub
  const query = { url, replyMs: LOOK_UP_MS, mostBytes: MAX_BYTES, signal, now }
  const received = await lookUp(exchange, query)
  if (received === undefined) return { status: 413, text: `has more than ${MAX_BYTES} bytes` }
  const { status, text, headers } = received
  if (status === 200) return { status, text }
  const next = status >= 300 && status < 400 ? resolveRedirect(headers.location, url) : undefined
  if (next !== undefined && hops > 0) return fetchFile(next, hub, hops - 1)
  return { status, text: `is answered with status ${status}: is it there, for everybody?` }
}

/**
 * Asks for what a platform publishes; undefined if the response is too large. Rejects when the
 * platform fails. Protocol §5.4.
 */
export async function lookUp(exchange: Exchange, query: Query): Promise<Received | undefined> {
  try {
    const received = await exchange(query)
    const { status } = received
    if (isUndelivered(status)) throw new Undelivered(`${quote(query.url)}: status ${status}`)
    return received
  } catch (error) {
    if (error instanceof AskingProblem && error.code === 'too-large') return undefined
    throw error
  }
}

/** Where a redirect from `url` leads, if that is a place of the same kind. */
function resolveRedirect(location: Received['headers'][string], url: string): string | undefined {
  if (location === undefined) return undefined
  try {
    const place = new URL(String(location), url)
    return place.protocol === new URL(url).protocol ? place.href : undefined
  } catch {
    return undefined
  }
}

/** The chat templates in a JSON file; undefined if none can be read from it. */
function readChatTemplates(text: string): readonly string[] | undefined {
  try {
    const file = parseBounded(text, BOUNDS)
    if (typeof file !== 'object' || file === null || Array.isArray(file)) return undefined
    const found: unknown = Object.hasOwn(file, 'chat_template') ? Object(file).chat_template : null
    if (found === null) return []
    const texts = Array.isArray(found) ? found.map((each) => Object(each).template) : [found]
    return texts.every((each) => typeof each === 'string') ? texts : undefined
  } catch {
    return undefined
  }
}

/** By what the list of chat templates names one: Jinja drops a line feed at its end. */
async function hashTemplate(template: string): Promise<string> {
  const bytes = new TextEncoder().encode(template.replace(/\n$/, ''))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
