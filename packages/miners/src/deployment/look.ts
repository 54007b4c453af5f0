import type { Result } from '@affine/prng'
import type { Asking } from '../asking.ts'
import { type ChutesKey, LOOK_UP_MS } from '../chutes-key.ts'
import { NoReply } from '../no-reply.ts'
import { type Received, Undelivered } from '../query.ts'
import {
  type Asked,
  type Deployment,
  type DeploymentFault,
  judgeSource,
  readDescription,
  refused,
} from './deployment.ts'
import { templatesOf } from './templates.ts'

export const UUID: RegExp = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What it takes to look at a deployment. */
export interface Directory extends Pick<Asking, 'now'> {
  readonly key: Pick<ChutesKey, 'ask'>
  readonly api: string
}

/**
 * Looks at what the platform publishes about a miner's deployment: may it be asked? Rejects when
 * the platform fails. Protocol §5.4.
 * @throws RangeError when this release does not have the list of templates.
 */
export async function lookAt(
  miner: Asked,
  signal: AbortSignal,
  directory: Directory,
): Promise<Result<Deployment, DeploymentFault>> {
  const { chute } = miner
  const templates = templatesOf(miner.templates)
  if (!UUID.test(chute))
    return refused('NO_ID', 'the committed chute is no id of a deployment, a UUID')
  const ask = (path: string): Promise<string | undefined> => published(path, signal, directory)
  const text = await ask(`/chutes/${chute}`)
  if (text === undefined) return refused('NOT_FOUND', 'there is no such chute, or it is not public')
  const said = readDescription(JSON.parse(text), miner, templates)
  if (!said.ok) return said
  try {
    const source = await ask(`/chutes/code/${chute}`)
    if (source === undefined) return refused('NO_SOURCE', 'its source is not shown')
    return judgeSource(source, { committed: miner, said: said.value }, templates)
  } catch (error) {
    const isLarge = error instanceof NoReply && error.reason === 'too-large'
    if (isLarge) return refused('TOO_LARGE', `of its source: ${error.message}`)
    throw error
  }
}

/** What a path has; undefined where there is nothing. */
async function published(
  path: string,
  signal: AbortSignal,
  { key, api, now }: Directory,
): Promise<string | undefined> {
  const query = { url: `${api}${path}`, replyMs: LOOK_UP_MS, signal, now }
  const { status, text }: Received = await key.ask(query)
  if (status === 404) return undefined
  if (status !== 200) throw new Undelivered(`status ${status}`)
  return text
}
