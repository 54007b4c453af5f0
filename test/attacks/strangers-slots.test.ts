import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { statePath } from '../../packages/blocks/src/bucket.ts'
import { type Account, encodeCommitment } from '../../packages/chain/src/index.ts'
import { encodeBitmap, type State, stateRoot } from '../../packages/duel/src/index.ts'
import { listen } from '../../packages/miners/test/servers.ts'
import { canonicalize } from '../../packages/prng/src/index.ts'
import { LOCAL_NETWORK } from '../../packages/settlement/src/index.ts'
import { testFolder } from '../test-folder.ts'
import { afVerify } from './af-verify.ts'
import { follow, validatorIn } from './following.ts'
import { hotkeys, ReadingSubnet } from './reading-subnet.ts'

// Protocol §6.4: readers open the buckets of an epoch's voters and nobody else's. What a stranger's
// slot or bucket holds is no evidence.
const STRANGERS = 12
const root = testFolder('strangers')

/** Every stranger's slot says `kind`, with a silent bucket, in one block. */
async function crowd(subnet: ReadingSubnet, state: State, kind: 'seal' | 'attest'): Promise<void> {
  const { chain, buckets } = subnet
  const included = subnet.strangers.map((stranger) => {
    const { hotkey: url } = stranger
    buckets.at(url).behaviour = 'fails'
    const hash = 'ab'.repeat(32)
    const bitmap = encodeBitmap(state.voters, new Set(hotkeys(subnet.voters)))
    const said = { epoch: state.epoch, url, head: hash, bitmap, next: hash, stateRoot: hash }
    return chain.commit(stranger, encodeCommitment({ kind, ...said }))
  })
  await subnet.hear(await chain.produce(0))
  await Promise.all(included)
}

/** An epoch of a duel, with strangers who write whatever they can, or nothing. */
async function epochOf(
  subnet: ReadingSubnet,
  sealing: readonly Account[],
  isCrowded: boolean,
): Promise<State> {
  const state = await subnet.begin(sealing)
  if (isCrowded) await crowd(subnet, state, 'seal')
  await subnet.sealAll(state, sealing)
  for (const voter of sealing) await subnet.attest(voter, state, hotkeys(subnet.voters))
  if (isCrowded) await crowd(subnet, state, 'attest')
  await subnet.end(state)
  return state
}

/** What a validator comes to in two epochs, and what it reads. */
async function validating(isCrowded: boolean) {
  const subnet = new ReadingSubnet([100, 100, 100], STRANGERS)
  const [own, ...others] = subnet.voters as [Account, ...Account[]]
  const { validator, problems } = await validatorIn(root, subnet, own)
  follow(subnet, validator)
  await epochOf(subnet, others, isCrowded)
  await subnet.produceTo(subnet.chain.height + 1)
  await validator.idle()
  const { reads } = subnet.buckets
  return { problems: problems(), asked: reads.map(([url]) => url), state: validator.state, subnet }
}

test('a validator reads as much as without strangers, from voters alone, and comes to the same root', async () => {
  const [plain, crowded] = [await validating(false), await validating(true)]
  expect(crowded.problems).toEqual([])
  const voters = hotkeys(crowded.subnet.voters)
  for (const url of crowded.asked) expect(voters).toContain(url)
  expect(crowded.asked.length).toBe(plain.asked.length)
  expect(crowded.asked.length).toBeGreaterThan(0)
  if (crowded.state === undefined || plain.state === undefined) throw new Error('no state')
  expect(crowded.state.epoch).toBe(3)
  expect(stateRoot(crowded.state)).toBe(stateRoot(plain.state))
})

test('af-verify asks each voter for its states and its copies, strangers for nothing, and exits with 0', async () => {
  const subnet = new ReadingSubnet([100, 100, 100], STRANGERS, LOCAL_NETWORK)
  const { voters, buckets } = subnet
  const state = await epochOf(subnet, voters, true)
  const files = new Map(buckets.files())
  const [first] = voters
  // By it a reader knows that buckets are there.
  files.set(`${first?.hotkey}/${statePath(state.epoch)}`, Buffer.from(canonicalize(state)))
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url.split('/')[1] ?? '')
    const bytes = files.get(url.slice(1))
    response.writeHead(bytes ? 200 : 404).end(bytes)
  })
  const verified = await afVerify(subnet, await listen(server, 0))
  server.close().closeAllConnections()
  expect(verified).toMatchObject({ code: 0, flaws: [] })
  expect(new Set(asked)).toEqual(new Set(hotkeys(voters)))
  // Is any there? The states of epochs 1, 2 and 3, those of 1 and 2 as what was attested, too, and
  // one block of each lane.
  expect(asked.length).toBe(1 + voters.length * (5 + voters.length))
})
