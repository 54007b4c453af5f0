import { readFile } from 'node:fs/promises'
import { PROTOCOL } from '@affine/duel'
import { expect, it } from 'vitest'
import { sayCosts } from '../src/service/costs.ts'
import { loadsOf } from '../src/service/load.ts'
import { price } from '../src/settings/readers.ts'
import { PRICES } from '../src/settings/table.ts'

const neurons = Array.from({ length: 64 }, () => ({ permit: true, stake: 1n }))

function said(gigabytePrice: number, gpuPrice: number) {
  const lines: string[] = []
  const records: object[] = []
  const line = (text: string, record: object): void => {
    lines.push(text)
    records.push(record)
  }
  const loads = loadsOf(PROTOCOL, { neurons })
  sayCosts(['validator', 'miner'], loads, { gigabytePrice, gpuPrice }, { line, status: () => {} })
  return { lines, records }
}

it('says in a line each what an epoch and a month cost a validator and a miner', async () => {
  const { lines, records } = said(
    Number(PRICES.gigabytePrice.default),
    Number(PRICES.gpuPrice.default),
  )
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

it.each([
  [0.015, 1.8, '11.33 $ a month', '1,296.00 $ a month'],
  [0, 2.5, '0.00 $ a month', '1,800.00 $ a month'],
])('with a GB at %d $ and a GPU at %d $', (gigabyte, gpu, validator, miner) => {
  const { lines } = said(gigabyte, gpu)
  expect(lines[0]).toContain(validator)
  expect(lines[1]).toContain(miner)
})

it.each([
  ['0.015', 0.015],
  ['2', 2],
  ['-1', undefined],
  ['1e3', undefined],
  ['', undefined],
  ['1,80', undefined],
])('the price %j is %j', (text, dollars) => {
  const read = () => price(text)
  if (dollars === undefined) expect(read).toThrow('Expected a price in $')
  else expect(read()).toBe(dollars)
})
