import { statePath } from '@affine/blocks'
import { type Commitment, encodeCommitment } from '@affine/chain'
import { encodeBitmap, encodeState, firstState, type State, stateRoot } from '@affine/duel'
import { digestOfText } from '@affine/prng'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  champion,
  contender,
  hotkeys,
  network,
  ReadingSubnet,
} from '../../../test/attacks/reading-subnet.ts'
import {
  findAttestedRoot,
  findStart,
  readAttested,
  readNewestAttested,
  readStartState,
} from '../src/index.ts'
import { changedSnapshots } from './changed-snapshots.ts'

const first = firstState(network.protocol, network.firstEpoch)
const RUBBISH = new TextEncoder().encode('rubbish')

let subnet: ReadingSubnet
let state: State
/** The first validator has exactly half of the stake. */
beforeEach(async () => {
  subnet = new ReadingSubnet([4, 3, 1])
  state = await subnet.begin()
})

const data = () => ({ chain: subnet.chain, network, openBucket: subnet.buckets.open })

/** Ends the epoch with attestations of the voters at these indices. No voter serves the state. */
async function attestedBy(...places: readonly number[]): Promise<void> {
  await subnet.sealAll(state)
  const attesters = subnet.voters.filter((_, place) => places.includes(place))
  await subnet.attestAll(state, attesters, [])
  for (const { hotkey } of subnet.voters) subnet.buckets.at(hotkey).files.delete(statePath(2))
  await subnet.end(state)
}

function serve(place: number, bytes: Uint8Array = new TextEncoder().encode(encodeState(state))) {
  subnet.buckets.at(subnet.voters[place]?.hotkey ?? '').files.set(statePath(2), bytes)
}

describe('the attested state', () => {
  test('is the network’s first if its root was attested, and null for the first epoch', async () => {
    expect(await readAttested(data(), 1)).toEqual(first)
    expect(await readAttested(data(), 0)).toBeNull()
    expect(subnet.buckets.reads).toEqual([])
  })

  test.each([
    ['exactly half', [0]],
    ['the other half', [1, 2]],
    ['less than half', [2]],
  ])('is null if %s of the stake attests it', async (_, places) => {
    await attestedBy(...places)
    expect(await findAttestedRoot(data(), 3)).toBeUndefined()
    expect(await readAttested(data(), 3)).toBeNull()
  })

  test('is the one that more than half of the stake attests, from any attester that serves it', async () => {
    await attestedBy(0, 2)
    serve(0, RUBBISH)
    serve(2)
    expect(await findAttestedRoot(data(), 3)).toBe(stateRoot(state))
    expect(await readAttested(data(), 3)).toEqual(state)
  })

  test('is requested only from its attesters, once from each', async () => {
    await attestedBy(0, 1)
    const root = stateRoot(state)
    const [one = '', other = ''] = hotkeys(subnet.voters)
    serve(2)
    subnet.buckets.at(one).behaviour = 'fails'
    const tried = [`${one}: no answer in time`, `${other}: file not found`].sort()
    const message = `v1/states/2.json .* ${root} \\(.*${tried.join('; .*')}\\): .*"buckets"`
    await expect(readAttested(data(), 3)).rejects.toThrow(new RegExp(message))
    const read = [one, other].sort().map((url) => [url, statePath(2)])
    expect([...subnet.buckets.reads].sort()).toEqual(read)
  })

  test('is not requested from other voters, and a bucket that cannot be opened is reported', async () => {
    const [heavy, other, light] = subnet.voters
    await subnet.sealAll(state)
    if (heavy) await subnet.attest(heavy, state, [])
    if (other) await subnet.attest(other, { ...state, ratio: 600_000 }, [])
    if (light) await subnet.attest(light, state, [], 'nowhere')
    await subnet.end(state)
    serve(0, RUBBISH)
    const messages = [`${heavy?.hotkey}: another state`, 'nowhere: it cannot be opened']
    for (const each of messages) await expect(readAttested(data(), 3)).rejects.toThrow(each)
    const read = [heavy?.hotkey, statePath(2)]
    expect(subnet.buckets.reads).toEqual([read, read])
  })

  test('is reported missing with the names of only four of six buckets', async () => {
    subnet = new ReadingSubnet([1, 1, 1, 1, 1, 1])
    state = await subnet.begin()
    await attestedBy(0, 1, 2, 3, 4, 5)
    const named = [...hotkeys(subnet.voters)].sort().slice(0, 4)
    const places = named.map((hotkey) => `${hotkey} at ${hotkey}: file not found`).join('; ')
    await expect(readAttested(data(), 3)).rejects.toThrow(`(${places}; and 2 more): check`)
  })

  test('does not depend on idle stake, miners, or commitments of old or future epochs', async () => {
    subnet = new ReadingSubnet([3, 1, 9, 9, 9, 9])
    state = await subnet.begin()
    await attestedBy(0)
    expect(await findAttestedRoot(data(), 3)).toBeUndefined()
    const [, , idle = '', old = '', early = '', mining = ''] = hotkeys(subnet.voters)
    const sealOf = (epoch: number) =>
      ({ kind: 'seal', epoch, head: '0'.repeat(64), url: 'u' }) as const
    const byHotkey: Readonly<Record<string, Commitment>> = {
      [old]: sealOf(1),
      [early]: sealOf(3),
      [mining]: { kind: 'miner', model: `m-${mining}`, revision: 'r', chute: 'c' },
      // The contender has no stake.
      [contender.hotkey]: sealOf(2),
    }
    const chain = changedSnapshots(subnet.chain, ({ commitments }) => ({
      commitments: commitments
        .filter(({ hotkey }) => hotkey !== idle)
        .map((slot) => {
          const other = byHotkey[slot.hotkey]
          return other ? { ...slot, fields: encodeCommitment(other) } : slot
        }),
    }))
    const rootWith = (quorumEpochs: number) => {
      const protocol = { ...network.protocol, quorumEpochs }
      return findAttestedRoot({ chain, network: { ...network, protocol } }, 3)
    }
    expect(await rootWith(1)).toBe(stateRoot(state))
    expect(await rootWith(2)).toBeUndefined()
  })

  test('is rejected with the reason if the attested content is not a state', async () => {
    await subnet.sealAll(state)
    const bitmap = encodeBitmap(state.voters, new Set())
    const [next, root] = ['0'.repeat(64), digestOfText('state', RUBBISH)]
    for (const [place, voter] of subnet.voters.entries()) {
      const attestation = { kind: 'attest', epoch: 2, bitmap, next, stateRoot: root } as const
      await subnet.commit(voter, { ...attestation, url: voter.hotkey })
      serve(place, RUBBISH)
    }
    await subnet.end(state)
    await expect(readAttested(data(), 3)).rejects.toThrow(/\(\S+ at \S+: the text is not JSON; /)
  })
})

test.each([
  [3, 2],
  [2, 0],
])(
  'the newest attested state of the %i epochs before epoch 5 is of epoch %i, or the first, of epoch 0',
  async (quorumEpochs, epoch) => {
    await attestedBy(0, 1)
    serve(1)
    await subnet.end({ ...state, epoch: 4 })
    const rules = { ...network, protocol: { ...network.protocol, quorumEpochs } }
    expect((await readNewestAttested({ ...data(), network: rules }, 5)).epoch).toBe(epoch)
  },
)

test('the state with which a reader begins precedes the requested epochs, or is the first', async () => {
  await attestedBy(0, 1, 2)
  serve(1)
  await subnet.chain.produce(0)
  expect(await readStartState(data(), 1)).toEqual(state)
  for (const epochs of [3, 9]) expect(await readStartState(data(), epochs)).toEqual(first)
})

describe('the starting point', () => {
  test('has the attested state, and no recipients on a subnet without commit-reveal of weights', async () => {
    await attestedBy(0, 1)
    serve(0)
    await subnet.chain.produce(0)
    expect(await findStart(data(), 0)).toEqual({ from: first, recipients: [] })
    expect(await findStart(data(), 2)).toEqual({ from: state, recipients: [] })
  })

  test('cannot be an epoch before the network’s first, or one that has not ended', async () => {
    const from = (firstEpoch: number) => ({ ...data(), network: { ...network, firstEpoch } })
    await expect(findStart(from(2), 0)).rejects.toThrow('first epoch, 2, is not over')
    await expect(findStart(data(), 2)).rejects.toThrow(/^expected .* 0 to 1, got 2$/)
    await attestedBy(0, 1)
    await subnet.chain.produce(0)
    await expect(findStart(from(1), 0)).rejects.toThrow(/^expected .* 1 to 2, got 0$/)
    const atFirst = firstState(network.protocol, 1)
    expect(await findStart(from(1), 1)).toEqual({ from: atFirst, recipients: [] })
  })

  test('has the recipients of epochs whose weights may await their reveal, none before the first epoch', async () => {
    await attestedBy(0, 1)
    serve(0)
    const [, second] = await subnet.recompute()
    const { hotkey = '' } = subnet.voters[0] ?? {}
    const bytes = new TextEncoder().encode(encodeState(second?.before ?? first))
    subnet.buckets.at(hotkey).files.set(statePath(1), bytes)
    await subnet.chain.produce(0)
    const waiting = changedSnapshots(subnet.chain, () => ({ revealPeriod: 1 }))
    const begun = await findStart({ ...data(), chain: waiting }, 2)
    expect(begun).toEqual({ from: state, recipients: [hotkey, champion.hotkey] })
    const { recipients } = await findStart({ ...data(), chain: waiting }, 1)
    expect(recipients).toEqual([hotkey])
  })

  test('cannot be an epoch without a state that a majority attested', async () => {
    await attestedBy(0)
    await subnet.chain.produce(0)
    await expect(findStart(data(), 2)).rejects.toThrow(/^no state of epoch 2 /)
  })
})
