import { pcg64, type Result } from '@affine/prng'
import { isChallengeId, seedOf } from './challenge.ts'
import type { EnvSpec } from './definition.ts'
import { Episode, parseAction } from './episode.ts'
import { isOversize, normalise } from './text.ts'

export interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** Why an episode ended without a usable reply. */
export type Fault = 'no-reply' | 'oversize'

/** `invocation` is the platform's id of the call, `ms` how long it took; both are only recorded. */
export interface Reply {
  readonly content: string
  readonly invocation?: string
  readonly ms?: number
}

export interface NoReply {
  readonly fault: 'no-reply'
}

/** Answers a conversation that ends with a prompt. It gets a copy that holds roles and contents, nothing else. */
export type Agent = (messages: readonly Message[]) => Promise<Reply | NoReply> | Reply | NoReply

export interface Transcript {
  readonly messages: readonly (Message & Partial<Reply>)[]
  readonly reward: number
  readonly fault?: Fault
}

/**
 * Plays one challenge with `agent`. Replies are normalised before they are judged and recorded; a faulty one is not
 * recorded. Only the specification of `env` is used: one can serve many plays at once, and its own episode stays.
 *
 * No clock: who wants a deadline lets the agent give `{ fault: 'no-reply' }`. Rejects with what the agent rejects with.
 * @throws TypeError unless `challengeId` is one.
 */
export async function play(env: { readonly spec: EnvSpec }, challengeId: string, agent: Agent): Promise<Transcript> {
  const course = record(env.spec, challengeId)
  let turn = course.next()
  while (!turn.done) turn = course.next(await agent(turn.value))
  return turn.value
}

/** An episode as a dialogue: yields the conversation, takes the next reply, returns the transcript. */
export function* record(
  spec: EnvSpec,
  challengeId: string,
): Generator<readonly Message[], Transcript, Reply | NoReply> {
  const episode = new Episode(spec, pcg64(seedOf(challengeId)))
  const messages: (Message & Partial<Reply>)[] = []
  while (!episode.over) {
    messages.push({ role: 'user', content: episode.prompt })
    const reply = yield messages.map(({ role, content }) => ({ role, content }))
    if ('fault' in reply) return { messages, reward: spec.lowestReward, fault: 'no-reply' }
    const content = normalise(reply.content)
    if (isOversize(content)) return { messages, reward: spec.lowestReward, fault: 'oversize' }
    messages.push({ ...reply, role: 'assistant', content })
    episode.step(parseAction(spec, content))
  }
  return { messages, reward: episode.total }
}

/**
 * PROMPT_DIFFERS: the environment asks something else here. NOT_NORMALISED, OVERSIZE: a reply that `play` would not
 * have recorded. WRONG_ROLE: prompts and replies do not alternate, or an item is no message. TOO_SHORT: no messages,
 * or the last is a reply and the episode goes on. TOO_LONG: messages after its end.
 */
export type ReplayFault =
  | 'BAD_CHALLENGE_ID'
  | 'PROMPT_DIFFERS'
  | 'NOT_NORMALISED'
  | 'OVERSIZE'
  | 'WRONG_ROLE'
  | 'TOO_SHORT'
  | 'TOO_LONG'

/**
 * Runs an episode again over recorded messages: the same code that played it, so there is no second judge.
 * Messages that end with a prompt are an episode that ended with a fault. Whether that fault was the agent's, and what
 * the recorded reward says, is not its business; other fields of a message are ignored.
 *
 * Takes hostile data, parsed from JSON or of any wrong type, and never throws if the environment doesn't.
 */
export function replay(
  env: { readonly spec: EnvSpec },
  challengeId: string,
  messages: readonly Message[],
): Result<{ readonly reward: number; readonly fault: boolean }, ReplayFault> {
  if (!isChallengeId(challengeId)) return refuse('BAD_CHALLENGE_ID', 'not base58 of 32 bytes')
  if (!Array.isArray(messages) || messages.length === 0) return refuse('TOO_SHORT', 'no messages')
  const episode = new Episode(env.spec, pcg64(seedOf(challengeId)))
  for (let index = 0; !episode.over; index += 2) {
    if (index >= messages.length) return refuse('TOO_SHORT', `${index} messages, the episode goes on`)
    const prompt = contentOf(messages[index], 'user')
    if (prompt === null) return refuse('WRONG_ROLE', `message ${index}`)
    if (prompt !== episode.prompt) return refuse('PROMPT_DIFFERS', `message ${index}`)
    if (index + 1 === messages.length) return { ok: true, value: { reward: env.spec.lowestReward, fault: true } }
    const reply = contentOf(messages[index + 1], 'assistant')
    if (reply === null) return refuse('WRONG_ROLE', `message ${index + 1}`)
    // Length before content: what follows is then bounded, whatever came in.
    if (isOversize(reply)) return refuse('OVERSIZE', `message ${index + 1}`)
    if (normalise(reply) !== reply) return refuse('NOT_NORMALISED', `message ${index + 1}`)
    episode.step(parseAction(env.spec, reply))
    if (episode.over && index + 2 < messages.length)
      return refuse('TOO_LONG', `${messages.length} messages, the episode takes ${index + 2}`)
  }
  return { ok: true, value: { reward: episode.total, fault: false } }
}

/** The content of a message in that role; null for anything else, whatever its type. */
function contentOf(message: unknown, role: Message['role']): string | null {
  if (typeof message !== 'object' || message === null) return null
  const { role: found, content } = message as Partial<Message>
  return found === role && typeof content === 'string' ? content : null
}

function refuse(code: ReplayFault, detail: string): { ok: false; code: ReplayFault; detail: string } {
  return { ok: false, code, detail }
}
