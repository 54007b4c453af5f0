import { afterAll, expect, test } from 'vitest'
import { LOCAL_NETWORK } from '../../packages/settlement/src/index.ts'
import { killAll } from '../processes.ts'
import { afVerify } from './af-verify.ts'
import { OneLiar } from './one-liar.ts'
import { hotkeys } from './reading-subnet.ts'

// Protocol §5.2: who attests a lane serves it, at the address that it announces.
afterAll(killAll)
const RUBBISH = new TextEncoder().encode('rubbish')

/** The liar attests the honest lanes with its bucket at `url`, after `spoil` has seen to it. */
async function attesting(url: string, spoil: (subnet: OneLiar) => void = () => {}) {
  const subnet = new OneLiar(LOCAL_NETWORK)
  await subnet.beHonest()
  spoil(subnet)
  await subnet.attest(subnet.liar, await subnet.state, hotkeys(subnet.honest), url)
  return subnet
}
const filesOf = ({ buckets }: OneLiar, url: string) => buckets.at(url).files

test.each<readonly [what: string, code: string, url: string, spoil: (subnet: OneLiar) => void]>([
  ['an address that cannot be opened', 'COPY_MISSING', 'nowhere', () => {}],
  ['an empty bucket', 'COPY_MISSING', 'empty', () => {}],
  [
    'a silent bucket',
    'COPY_MISSING',
    'silent',
    ({ buckets }) => {
      buckets.at('silent').behaviour = 'fails'
    },
  ],
  [
    'a bucket with other bytes',
    'BAD_LINES',
    'other',
    (subnet) => {
      for (const path of filesOf(subnet, subnet.liar.hotkey).keys())
        filesOf(subnet, 'other').set(path, RUBBISH)
    },
  ],
])(
  '%s: named for each lane that it attests, or for all at once, and nothing else changes',
  async (...attack) => {
    const [, code, url, spoil] = attack
    const served = await attesting('served', (subnet) => {
      for (const [path, bytes] of filesOf(subnet, subnet.liar.hotkey))
        filesOf(subnet, 'served').set(path, bytes)
    })
    const expected = await served.outcome()
    expect(expected.flaws).toEqual([])

    const subnet = await attesting(url, spoil)
    const { flaws, root, accepted } = await subnet.outcome()
    // Which of its blocks were asked for after it was silent is chance.
    const named = url === 'silent' ? subnet.honest.slice(0, 1) : subnet.honest
    expect(flaws).toEqual(named.map(() => `${code} ${subnet.liar.hotkey}`))
    expect([root, accepted]).toEqual([expected.root, expected.accepted])
  },
)

test('af-verify names it and exits with 1', async () => {
  const subnet = await attesting('empty')
  const { flaws, root } = await subnet.outcome()
  expect(await afVerify(subnet)).toMatchObject({ code: 1, flaws, root })
})
