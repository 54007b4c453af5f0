import { expect, it } from 'vitest'
import { parseRecords, servingOf, startAf } from './commands.ts'

it('af miner --json prints every request as a line of JSON until Ctrl-C', async () => {
  const miner = startAf(['miner', '--port', '0', '--json'])
  const { url } = await servingOf(miner)
  const ask = async (...messages: readonly object[]): Promise<string> => {
    const body = JSON.stringify({ model: 'any', messages })
    const response = await fetch(`${url}/chat/completions`, { method: 'POST', body })
    return (await response.json()).choices?.[0].message.content
  }
  const compute = 'Compute 12345678 * 87654321.\nGive the product.'
  const reply = await ask({ role: 'user', content: compute })
  await ask({ role: 'user', content: 'Play chess.\u001b[2J' })
  await ask()
  const ended = await miner.stop()
  expect([ended.code, ended.stderr]).toEqual([130, ''])
  const [serving, ...requests] = parseRecords(ended.stdout)
  expect(serving).toMatchObject({ type: 'serving', url })
  expect(requests).toEqual([
    { type: 'request', prompt: compute, reply },
    { type: 'request', prompt: 'Play chess.\u001b[2J', reply: 'I do not know this game.' },
    { type: 'request' },
  ])
})
