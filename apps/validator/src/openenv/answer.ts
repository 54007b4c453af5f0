import * as z from 'zod'
import { resetShape, type Session, stepShape } from './session.ts'

/** Of OpenEnv's codes, those that something can come to here. */
type Code =
  | 'INVALID_JSON'
  | 'UNKNOWN_TYPE'
  | 'VALIDATION_ERROR'
  | 'EXECUTION_ERROR'
  | 'CAPACITY_REACHED'

const messageShape = z.object({ type: z.string(), data: z.unknown().optional() })

/** What is said to a message of a session's; undefined to one that ends it. Never throws. */
export function answerTo(session: Session, text: string): object | undefined {
  const json = parsed(text)
  if (json === undefined) return errorOf('INVALID_JSON', 'expected a message in JSON')
  const message = messageShape.safeParse(json)
  if (!message.success) return refusalOf(message.error)
  const { type, data } = message.data
  if (type === 'close') return undefined
  if (type === 'state') return { type: 'state', data: session.state }
  if (type === 'reset') return answerReset(session, data)
  if (type === 'step') return answerStep(session, data)
  return errorOf('UNKNOWN_TYPE', 'expected the type reset, step, state or close')
}

function answerReset(session: Session, data: unknown): object {
  const asked = resetShape.safeParse(data ?? {})
  if (!asked.success) return refusalOf(asked.error)
  return { type: 'observation', data: session.reset(asked.data) }
}

function answerStep(session: Session, data: unknown): object {
  const asked = stepShape.safeParse(data)
  if (!asked.success) return refusalOf(asked.error)
  const outcome = session.step(asked.data)
  if (outcome === null)
    return errorOf('EXECUTION_ERROR', 'expected an episode in progress: reset first')
  return { type: 'observation', data: outcome }
}

/** The value of a text in JSON; undefined for another text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An error as OpenEnv's clients read it. */
export const errorOf = (code: Code, message: string, more: object = {}): object => ({
  type: 'error',
  data: { message, code, ...more },
})

const refusalOf = (error: z.ZodError): object =>
  errorOf('VALIDATION_ERROR', 'Invalid message', { errors: faultsIn(error) })

/** What is wrong, where, as FastAPI says it. */
export const faultsIn = ({ issues }: z.ZodError): readonly object[] =>
  issues.map(({ code, path, message }) => ({ type: code, loc: path, msg: message }))
