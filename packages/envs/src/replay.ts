import type { Result } from '@affine/prng'
import { isChallengeId, seedOf, seedOfChecked } from './challenge.ts'
import type { EnvSpec } from './definition.ts'
import { Env } from './env.ts'
import { isOversize, normalise } from './text.ts'

export type Message = { readonly role: 'user' | 'assistant'; readonly content: string }

/** Why an episode ended without a usable reply. */
export type Fault = 'no-reply' | 'oversize'

/** `invocation` is the platform's id of the call, `ms` how long it took; both are only recorded. */
export type Reply = { readonly content: string; readonly invocation?: string; readonly ms?: number }

export type Answer = Reply | { readonly fault: 'no-reply' }

/**
 * Answers a conversation that ends with a prompt. It gets a copy that holds roles and contents,
 * nothing else.
 */
export type Agent = (messages: readonly Message[]) => Promise<Answer> | Answer

export type RecordedMessage = Message & Partial<Reply>

export type Transcript = {
  readonly messages: readonly RecordedMessage[]
  readonly reward: number
  readonly fault?: Fault
}

/**
 * Plays one challenge with `agent`. Replies are normalised before they are judged and recorded; a
 * faulty one is not recorded. Only the specification of `env` is used: one can serve many plays at
 * once, and its own episode stays.
 *
 * No clock: who wants a deadline lets the agent give `{ fault: 'no-reply' }`. Rejects with what the
 * agent rejects with. Protocol §3.1.
 * @throws TypeError unless `challengeId` is one.
 */
export async function play(
  { spec }: Pick<Env, 'spec'>,
  challengeId: string,
  agent: Agent,
): Promise<Transcript> {
  const course = record(spec, seedOf(challengeId))
  let turn = course.next()
  while (!turn.done) turn = course.next(await agent(turn.value))
  return turn.value
}

/**
 * An episode as a dialogue: yields the conversation, takes the next answer, returns the transcript.
 * Protocol §3.1.
 */
export function* record(
  spec: EnvSpec,
  seed: number | bigint,
): Generator<readonly Message[], Transcript, Answer> {
  const env = new Env(spec)
  env.reset({ seed })
  const messages: RecordedMessage[] = []
  while (!env.over) {
    messages.push({ role: 'user', content: env.render() })
    const reply = recordable(yield messages.map(({ role, content }) => ({ role, content })))
    if ('fault' in reply) return { messages, reward: spec.lowestReward, fault: reply.fault }
    messages.push(reply)
    env.step(env.parse(reply.content))
  }
  return { messages, reward: env.total }
}

/** An answer as it is recorded, its text normalised, or why it is none. Protocol §3.1. */
export function recordable(answer: Answer): RecordedMessage | { readonly fault: Fault } {
  if ('fault' in answer) return { fault: 'no-reply' }
  const content = normalise(answer.content)
  return isOversize(content) ? { fault: 'oversize' } : { ...answer, role: 'assistant', content }
}

/**
 * PROMPT_DIFFERS: the environment asks something else here. NOT_NORMALISED, OVERSIZE: a reply that
 * `play` would not have recorded. WRONG_ROLE: prompts and replies do not alternate, or an item is
 * no message.
 */
type MessageFault = 'PROMPT_DIFFERS' | 'NOT_NORMALISED' | 'OVERSIZE' | 'WRONG_ROLE'

/**
 * TOO_SHORT: no messages, or the last is a reply and the episode goes on. TOO_LONG: messages after
 * its end.
 */
export type ReplayFault = 'TOO_SHORT' | 'TOO_LONG' | MessageFault

type Replayed<Code extends string> = Result<
  { readonly reward: number; readonly fault: boolean },
  Code
>

/**
 * Runs an episode again over recorded messages: the same code that played it, so there is no second
 * judge. Messages that end with a prompt are an episode that ended with a fault. Whether that fault
 * was the agent's, and what the recorded reward says, is not its business; other fields of a
 * message are ignored.
 *
 * Takes hostile data, parsed from JSON or of any wrong type, and never throws if the environment
 * doesn't. Protocol §3.1.
 */
export function replay(
  env: Pick<Env, 'spec'>,
  challengeId: string,
  messages: readonly Message[],
): Replayed<ReplayFault | 'BAD_CHALLENGE_ID'> {
  if (!isChallengeId(challengeId)) return refusal('BAD_CHALLENGE_ID', 'not base58 of 32 bytes')
  return replayFrom(env, seedOfChecked(challengeId), messages)
}

/** The same from the seed of the challenge, which two miners' episodes have in common. */
export function replayFrom(
  { spec }: Pick<Env, 'spec'>,
  seed: bigint,
  messages: readonly Message[],
): Replayed<ReplayFault> {
  if (!Array.isArray(messages)) return refusal('TOO_SHORT', 'no messages')
  const env = new Env(spec)
  env.reset({ seed })
  for (let index = 0; index < messages.length; index++) {
    if (env.over)
      return refusal('TOO_LONG', `${messages.length} messages, the episode takes ${index}`)
    const wrong = takeMessage(env, messages[index], index % 2 === 0)
    if (wrong !== undefined) return refusal(wrong, `message ${index}`)
  }
  const endsInPrompt = messages.length % 2 === 1
  if (endsInPrompt) return { ok: true, value: { reward: spec.lowestReward, fault: true } }
  if (!env.over) return refusal('TOO_SHORT', `${messages.length} messages, the episode goes on`)
  return { ok: true, value: { reward: env.total, fault: false } }
}

/** Compares a prompt, or plays a reply; what is wrong with it, if anything. */
function takeMessage(env: Env, message: unknown, isPrompt: boolean): MessageFault | undefined {
  if (isPrompt) return promptFault(message, env.render())
  const reply = replyIn(message)
  if (!reply.ok) return reply.code
  env.step(env.parse(reply.value))
  return undefined
}

/** A message of which nothing is known. */
type Unread = Readonly<Partial<Record<keyof Message, unknown>>>

/** What is wrong with a message, if it is not the prompt that is due. Protocol §3.1. */
export function promptFault(message: unknown, due: string): MessageFault | undefined {
  const { role, content }: Unread = Object(message)
  if (role !== 'user' || typeof content !== 'string') return 'WRONG_ROLE'
  if (content !== due) return 'PROMPT_DIFFERS'
  return undefined
}

/** The text of a message, if it is a reply that `play` could have recorded. Protocol §3.1. */
export function replyIn(message: unknown): Result<string, MessageFault> {
  const { role, content }: Unread = Object(message)
  if (role !== 'assistant' || typeof content !== 'string') return refusal('WRONG_ROLE', '')
  // Length before content: what follows is then bounded, whatever came in.
  if (isOversize(content)) return refusal('OVERSIZE', '')
  if (normalise(content) !== content) return refusal('NOT_NORMALISED', '')
  return { ok: true, value: content }
}

export function refusal<Code extends string>(code: Code, detail: string): ReplayRefusal<Code> {
  return { ok: false, code, detail }
}

type ReplayRefusal<Code> = { readonly ok: false; readonly code: Code; readonly detail: string }
