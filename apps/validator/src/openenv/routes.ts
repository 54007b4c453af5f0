import type { EnvSpec } from '@affine/envs'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import * as z from 'zod'
import { faultsIn, parsed } from './answer.ts'
import { resetShape, Session, stepShape } from './session.ts'

/** The most bytes of one request, and of one message of a session. */
export const MOST_BYTES: number = 1024 * 1024

/** Without a session a step has to say of which episode; it is its first. */
const stepRequestShape = z
  .object({ action: stepShape })
  .and(
    resetShape.refine(
      ({ seed, challenge_id }) => (seed ?? challenge_id ?? null) !== null,
      'expected a seed or a challenge_id: nothing is kept between requests',
    ),
  )

/** OpenEnv's routes of one environment, each request an environment of its own. */
export function routesOf(spec: EnvSpec): Hono {
  const app = new Hono()
  app.use(bodyLimit({ maxSize: MOST_BYTES }))
  app.get('/health', (context) => context.json({ status: 'healthy' }))
  app.get('/metadata', (context) => context.json(metadataOf(spec)))
  app.get('/schema', (context) => context.json(SCHEMA))
  app.get('/state', (context) => context.json(new Session(spec).state))
  app.post('/reset', async (context) => {
    const asked = resetShape.safeParse(await bodyOf(context))
    if (!asked.success) return refuse(context, asked.error)
    return context.json(new Session(spec).reset(asked.data))
  })
  app.post('/step', async (context) => {
    const asked = stepRequestShape.safeParse(await bodyOf(context))
    if (!asked.success) return refuse(context, asked.error)
    const session = new Session(spec)
    session.reset(asked.data)
    return context.json(session.step(asked.data.action))
  })
  return app
}

/** The JSON of a request; that of none is {}. */
async function bodyOf(context: Context): Promise<unknown> {
  const text = await context.req.text()
  return text === '' ? {} : parsed(text)
}

const refuse = (context: Context, error: z.ZodError): Response =>
  context.json({ detail: faultsIn(error) }, 422)

function metadataOf({ id, name, version, maxSteps }: EnvSpec): object {
  const replies = maxSteps === 1 ? 'one reply' : `at most ${maxSteps} replies`
  const description = `Affine's ${id}: ${replies} in text, the move alone on the last line.`
  return { name, version, description }
}

const text = (description: string): object => ({ type: 'string', description })
const textOrNull = (description: string): object => ({ type: ['string', 'null'], description })
const integer = (description: string): object => ({ type: 'integer', description })

function objectOf(title: string, properties: Record<string, object>): object {
  return { title, type: 'object', properties, required: Object.keys(properties) }
}

const SCHEMA = {
  action: objectOf('Reply', { reply: text('what a model says; its last line is the move') }),
  observation: objectOf('Prompt', {
    prompt: textOrNull('all there is to know; null at the end'),
  }),
  state: objectOf('State', {
    episode_id: textOrNull('as it was given to reset'),
    step_count: integer('replies so far'),
    env: text('the exact id'),
    challenge_id: textOrNull('as it was given to reset'),
    total_reward: integer('of the episode so far'),
  }),
}
