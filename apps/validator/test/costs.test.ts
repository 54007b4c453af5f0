import { readFile } from 'node:fs/promises'
import { PROTOCOL } from '@affine/duel'
import { expect, it } from 'vitest'
import { estimateLoads, printCosts } from '../src/service/load.ts'

it('prints the costs of a validator and of a miner, one line each', async () => {
  const lines: string[] = []
  const records: object[] = []
  const line = (text: string, record: object): void => {
    lines.push(text)
    records.push(record)
  }
  const neurons = Array.from({ length: 64 }, () => ({ permit: true, stake: 1n }))
  const screen = { line, status: () => {}, wait: () => {} }
  for (const who of ['validator', 'miner'] as const)
    printCosts(who, estimateLoads(PROTOCOL, { neurons }), screen)
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('snapshots/costs.txt')
  expect(records[1]).toMatchObject({
    type: 'costs',
    who: 'miner',
    calls: 1_703_936,
    monthEpochs: 600,
  })
  const page = await readFile(new URL('../../../docs/mining.md', import.meta.url), 'utf8')
  for (const text of ['2.16 $', '1,296 $', '5.40 $', '1,703,936 times', '444 million'])
    expect(page).toContain(text)
})
