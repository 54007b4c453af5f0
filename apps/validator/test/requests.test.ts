import { make } from '@affine/envs'
import { soloChallenge } from '@affine/miners'
import { expect, it } from 'vitest'
import { parseRecords, servingOf, startAf } from './commands.ts'

const SECRET = 'a5'.repeat(32)
const ENVS = ['mult8@0.1.0', 'tictactoe@0.1.0']

/** Returns the prompt of a challenge and the reply of a perfect player. */
function promptOf(env: string, index: number) {
  const game = make(env)
  const options = { challengeId: soloChallenge(env, SECRET, index) }
  const prompt = game.spec.prompt(game.reset({ options })[0])
  return { env, prompt, best: game.spec.solve(prompt) }
}

it('af miner --json prints every request as a line of JSON until Ctrl-C', async () => {
  const miner = startAf(['miner', '--port', '0', '--skill', '0.5', '--json'])
  const { url } = await servingOf(miner)
  const ask = async (...messages: readonly object[]): Promise<string> => {
    const body = JSON.stringify({ model: 'any', messages })
    const response = await fetch(`${url}/chat/completions`, { method: 'POST', body })
    return (await response.json()).choices?.[0].message.content
  }
  const prompts = ENVS.flatMap((env) => [0, 1, 2, 3].map((index) => promptOf(env, index)))
  const want: object[] = []
  for (const { env, prompt, best } of prompts) {
    const reply = await ask({ role: 'user', content: prompt })
    want.push({ type: 'request', env, prompt, reply, isPerfect: reply === best })
  }
  await ask({ role: 'user', content: 'Play chess.\u001b[2J' })
  await ask()
  const ended = await miner.stop()
  expect([ended.code, ended.stderr]).toEqual([130, ''])
  const [serving, ...requests] = parseRecords(ended.stdout)
  expect(serving).toMatchObject({ type: 'serving', url })
  const unknown = { prompt: 'Play chess.\u001b[2J', reply: 'I do not know this game.' }
  expect(requests).toEqual([
    ...want,
    { type: 'request', ...unknown, isPerfect: false },
    { type: 'request' },
  ])
})
