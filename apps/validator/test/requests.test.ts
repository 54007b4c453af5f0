import { make } from '@affine/envs'
import { soloChallenge } from '@affine/miners'
import { afterAll, expect, it } from 'vitest'
import { AF, killAll, start } from '../../../test/processes.ts'
import { parseRecords } from './commands.ts'

afterAll(killAll)

const SECRET = 'a5'.repeat(32)
const ENVS = ['mult8@0.1.0', 'tictactoe@0.1.0']

/** Returns the prompt of a challenge and the reply of a perfect player. */
function promptOf(env: string, index: number) {
  const game = make(env)
  const options = { challengeId: soloChallenge(env, SECRET, index) }
  const prompt = game.spec.prompt(game.reset({ options })[0])
  return { env, prompt, best: game.spec.solve(prompt) }
}

async function ask(url: string, content: unknown): Promise<string> {
  const messages = content === undefined ? [] : [{ role: 'user', content }]
  const body = JSON.stringify({ model: 'any', messages })
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', body })
  return (await response.json()).choices?.[0].message.content
}

const miner = async (...words: readonly string[]) => {
  const started = start(AF, ['miner', '--port', '0', ...words])
  const [url = ''] = await started.says(/http:[\w./:]+/)
  return { started, url }
}

it('af miner --json prints every request as a line of JSON until Ctrl-C', async () => {
  const { started, url } = await miner('--skill', '0.5', '--json')
  const prompts = ENVS.flatMap((env) => [0, 1, 2, 3].map((index) => promptOf(env, index)))
  const replies: string[] = []
  for (const { prompt } of prompts) replies.push(await ask(url, prompt))
  await ask(url, 'Play chess.\u001b[2J')
  await ask(url, undefined)
  const ended = await started.stop()
  expect([ended.code, ended.stderr]).toEqual([130, ''])
  const [serving, ...requests] = parseRecords(ended.stdout)
  expect(serving).toMatchObject({ type: 'serving', url })
  const want = prompts.map(({ env, prompt, best }, i) => {
    const reply = replies[i]
    return { type: 'request', env, prompt, reply, isPerfect: reply === best }
  })
  const unknown = { prompt: 'Play chess.\u001b[2J', reply: 'I do not know this game.' }
  expect(requests).toEqual([
    ...want,
    { type: 'request', ...unknown, isPerfect: false },
    { type: 'request' },
  ])
})
