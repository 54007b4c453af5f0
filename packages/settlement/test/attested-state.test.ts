import { statePath } from '@affine/blocks'
import { encodeState, firstState, type State, stateRoot } from '@affine/duel'
import { beforeEach, describe, expect, test } from 'vitest'
import { hotkeys, network, ReadingSubnet } from '../../../test/attacks/reading-subnet.ts'
import { attestedRoot, attestedState, readersState } from '../src/index.ts'

const first = firstState(network.protocol, network.firstEpoch)
const RUBBISH = new TextEncoder().encode('rubbish')

let subnet: ReadingSubnet
let state: State
/** The first has exactly half the stake. */
beforeEach(async () => {
  subnet = new ReadingSubnet([4, 3, 1])
  state = await subnet.begin()
})

const data = () => ({ chain: subnet.chain, network, openBucket: subnet.buckets.open })

/** Ends the epoch, which these voters, by their place, have attested. */
async function attestedBy(...places: readonly number[]): Promise<void> {
  await subnet.sealAll(state)
  for (const place of places) {
    const voter = subnet.voters[place]
    if (voter) await subnet.attest(voter, state, [])
  }
  await subnet.end(state)
}

function serve(place: number, bytes: Uint8Array = new TextEncoder().encode(encodeState(state))) {
  const { hotkey = '' } = subnet.voters[place] ?? {}
  subnet.buckets.at(hotkey).files.set(statePath(1), bytes)
}

describe('the attested state', () => {
  test('is the first one where that was attested, and nobody is asked for it', async () => {
    expect(await attestedState(data(), 1)).toEqual(first)
    expect(subnet.buckets.reads).toEqual([])
  })

  test('is none before an epoch has ended', async () => {
    expect(await attestedState(data(), 0)).toBeNull()
  })

  test.each([
    ['exactly half', [0]],
    ['the other half', [1, 2]],
  ])('is none where %s of the stake attests it', async (_, places) => {
    await attestedBy(...places)
    expect(await attestedRoot(data(), 2)).toBeUndefined()
    expect(await attestedState(data(), 2)).toBeNull()
  })

  test('is what more than half the stake attests, from whoever serves it', async () => {
    await attestedBy(0, 2)
    serve(0, RUBBISH)
    serve(2)
    expect(await attestedRoot(data(), 2)).toBe(stateRoot(state))
    expect(await attestedState(data(), 2)).toEqual(state)
  })

  test('is asked of those alone who attested it, each once', async () => {
    await attestedBy(0, 1)
    const root = stateRoot(state)
    const [one = '', other = ''] = hotkeys(subnet.voters)
    serve(2)
    subnet.buckets.at(one).behaviour = 'fails'
    const advice = 'wait; or give --replay, or no --last'
    await expect(attestedState(data(), 2)).rejects.toThrow(
      `nobody serves v1/states/1.json with the attested root ${root}: ${advice}`,
    )
    expect([...subnet.buckets.reads].sort()).toEqual(
      [one, other].sort().map((url) => [url, statePath(1)]),
    )
  })

  test('counts no attestation of another epoch', async () => {
    await attestedBy(0)
    const [, second] = subnet.voters
    if (second) await subnet.attest(second, { ...state, epoch: 2 }, [])
    expect(await attestedRoot(data(), 2)).toBeUndefined()
  })
})

describe('where a reader begins', () => {
  test('is with the state of as many epochs as it asks for, which have ended', async () => {
    await attestedBy(0, 1, 2)
    serve(1)
    await subnet.chain.produce(0)
    expect(await readersState(data(), 1)).toEqual(state)
    expect(await readersState(data(), 2)).toEqual(first)
    expect(await readersState(data(), 9)).toEqual(first)
  })

  test('is with the first state where none is attested', async () => {
    await attestedBy(0)
    await subnet.chain.produce(0)
    expect(await readersState(data(), 1)).toEqual(first)
  })
})
