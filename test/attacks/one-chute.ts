import { type MinerError, openChutes } from '../../packages/miners/src/index.ts'
import { NODE_CALLER } from '../../packages/miners/src/node/index.ts'
import { type Handle, plays, published, serveChutes } from '../../packages/miners/test/servers.ts'

type Miner = Parameters<ReturnType<typeof openChutes>['hasChanged']>[0]

/** The path of a chute's completions. */
export const POST = '/mine/v1/chat/completions'
const PROMPT = [{ role: 'user', content: 'Compute 12345678 * 87654321.' }] as const

/** Serves a chute that plays perfectly, with its own `routes`. Records problems and requests. */
export async function oneChute(miner: Miner, routes: Readonly<Record<string, Handle>>) {
  const { place, requestsTo } = await serveChutes({
    ...published(miner, 'mine'),
    [POST]: plays,
    ...routes,
  })
  const problems: MinerError[] = []
  const { agent, hasChanged } = openChutes({
    ...NODE_CALLER,
    apiKey: 'cpk_1',
    concurrency: 8,
    on: (event) => {
      if (event.type === 'problem') problems.push(event.error)
    },
    ...place,
  })
  const epoch = { epoch: 0, signal: new AbortController().signal }
  const ask = () => agent(miner, 10_000, epoch)(PROMPT)
  return { ask, requestsTo, problems, hasChanged: () => hasChanged(miner, epoch) }
}
