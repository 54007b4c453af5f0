import { expect, test } from 'vitest'
import { statePath } from '../../packages/blocks/src/bucket.ts'
import { type Account, encodeCommitment } from '../../packages/chain/src/index.ts'
import { type State, stateRoot } from '../../packages/duel/src/index.ts'
import { bitmapOf } from '../../packages/duel/test/subnet.ts'
import { canonicalize } from '../../packages/prng/src/index.ts'
import { LOCAL_NETWORK } from '../../packages/settlement/src/index.ts'
import { runVerifier } from '../in-process.ts'
import { testFolder } from '../test-folder.ts'
import { closeServers, serve } from '../web-server.ts'
import { follow } from './following.ts'
import { hotkeys, ReadingSubnet } from './reading-subnet.ts'
import { writeSubnet } from './write-subnet.ts'

// Protocol §6.4: readers open only the buckets of an epoch's voters. The content of a stranger's
// slot or bucket is not evidence.
const STRANGERS = 12
const root = testFolder('strangers')

/**
 * Lets every stranger commit a seal or an attestation in one block, with a bucket that never
 * answers.
 */
async function crowd(subnet: ReadingSubnet, state: State, kind: 'seal' | 'attest'): Promise<void> {
  const { chain, buckets } = subnet
  const included = subnet.strangers.map((stranger) => {
    const { hotkey: url } = stranger
    buckets.at(url).behaviour = 'fails'
    const hash = 'ab'.repeat(32)
    const bitmap = bitmapOf(state, hotkeys(subnet.voters))
    const fields = { epoch: state.epoch, url, head: hash, bitmap, next: hash, stateRoot: hash }
    return chain.commit(stranger, encodeCommitment({ kind, ...fields }))
  })
  await subnet.hear(await chain.produce(0))
  await Promise.all(included)
}

/** Plays an epoch of a duel, in which strangers write everything they can if `isCrowded`. */
async function epochOf(
  subnet: ReadingSubnet,
  sealing: readonly Account[],
  isCrowded: boolean,
): Promise<State> {
  const state = await subnet.begin(sealing)
  if (isCrowded) await crowd(subnet, state, 'seal')
  await subnet.sealAll(state, sealing)
  await subnet.attestAll(state, sealing, hotkeys(subnet.voters))
  if (isCrowded) await crowd(subnet, state, 'attest')
  await subnet.end(state)
  return state
}

/** Runs a validator for an epoch of a duel. Resolves with its state and the buckets it read. */
async function validating(isCrowded: boolean) {
  const subnet = new ReadingSubnet([100, 100, 100], STRANGERS)
  const [own, ...others] = subnet.voters as [Account, ...Account[]]
  const { validator, problems } = await follow(root, subnet, own)
  await epochOf(subnet, others, isCrowded)
  await subnet.produceTo(subnet.chain.height + 1)
  await validator.idle()
  const asked = subnet.buckets.reads.map(([url]) => url)
  const { state } = validator
  const decided = state && stateRoot(state)
  return {
    problems: problems(),
    asked,
    epoch: state?.epoch,
    decided,
    voters: hotkeys(subnet.voters),
  }
}

test('a validator reads only from voters, as much as without strangers, and decides the same', async () => {
  const [plain, crowded] = [await validating(false), await validating(true)]
  expect(crowded).toMatchObject({ problems: [], epoch: 3, decided: plain.decided })
  for (const url of crowded.asked) expect(crowded.voters).toContain(url)
  expect(crowded.asked.length).toBe(plain.asked.length)
  expect(crowded.asked.length).toBeGreaterThan(0)
})

test('af-verify reads states and copies only from voters, and exits with 0', async () => {
  const subnet = new ReadingSubnet([100, 100, 100], STRANGERS, LOCAL_NETWORK)
  const { voters, buckets } = subnet
  const state = await epochOf(subnet, voters, true)
  const files = new Map(buckets.files())
  const [first] = voters
  // af-verify requests this file to test whether the URL has buckets.
  files.set(`${first?.hotkey}/${statePath(state.epoch)}`, Buffer.from(canonicalize(state)))
  const urls: string[] = []
  const bucketsUrl = await serve(({ url = '' }, response) => {
    urls.push(url.split('/')[1] ?? '')
    const bytes = files.get(url.slice(1))
    response.writeHead(bytes ? 200 : 404).end(bytes)
  })
  const chain = await writeSubnet(subnet, root)
  const { code } = await runVerifier([bucketsUrl, '--network', chain])
  closeServers()
  expect(code).toBe(0)
  expect(new Set(urls)).toEqual(new Set(hotkeys(voters)))
  // One read tests for buckets. The others are for the states of epochs 1 and 2, and for one block
  // of each lane.
  expect(urls.length).toBe(1 + voters.length * (2 + voters.length))
})
