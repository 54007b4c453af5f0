import {
  blockPath,
  commitmentOf,
  NO_BLOCK,
  type Sample,
  statePath,
  writeBlock,
} from '@affine/blocks'
import { type Account, account, type Commitment, encodeCommitment, LocalChain } from '@affine/chain'
import { encodeBitmap, encodeState, firstState, LOCAL, type State, stateRoot } from '@affine/duel'
import { make } from '@affine/envs'
import { expect, test } from 'vitest'
import { playPlan } from '../../../packages/blocks/test/play-plan.ts'
import {
  decideEpoch,
  LOCAL_NETWORK,
  laneScope,
  type Recomputed,
  recompute,
  type Source,
  sealBlock,
  snapshotBlock,
} from '../src/index.ts'

const NETUID = 120
const STAKE = 1_000_000_000_000
const SECRET = '5e'.repeat(32)
/** What Node computes. A browser has to come to the same. */
const LAST_ROOT = 'c889befff5e1ed73f53032be7bf30c796f03e514639e7d3aeccd458d4a557200'
const played = ['mult8@0.1.0', 'tictactoe@0.1.0']
const envs = Object.fromEntries(Object.entries(LOCAL.envs).filter(([env]) => played.includes(env)))
const network = { ...LOCAL_NETWORK, protocol: { ...LOCAL, envs } }
const [validator, champion, contender] = [1, 2, 3].map((seed) =>
  account(new Uint8Array(32).fill(seed)),
) as [Account, Account, Account]

/** A bucket in memory, to which only this test writes. */
class Memory {
  readonly files = new Map<string, Uint8Array>()
  readonly source: Source = {
    name: validator.hotkey,
    read: async (path) => this.files.get(path) ?? null,
  }
}

/** A chain with one validator and two miners, which makes blocks when asked. */
function newChain(): LocalChain {
  return LocalChain.create({
    netuid: NETUID,
    random: () => new Uint8Array(32).fill(7),
    neurons: [validator, champion, contender].map(({ hotkey }) => ({
      hotkey,
      stake: hotkey === validator.hotkey ? BigInt(STAKE) : 0n,
    })),
    params: { tempo: network.protocol.epochBlocks, stakeThreshold: STAKE },
  })
}

const produceTo = async (chain: LocalChain, block: number): Promise<void> => {
  while (chain.height < block) await chain.produce(0)
}

async function commit(chain: LocalChain, who: Account, commitment: Commitment): Promise<void> {
  const included = chain.commit(who, encodeCommitment(commitment))
  await chain.produce(0)
  await included
}

/** Attests the lanes of `whole` in the epoch that `state` governs. */
async function attest(chain: LocalChain, state: State, whole: readonly string[]): Promise<void> {
  const { epoch, voters } = state
  const place = { genesis: chain.genesis, netuid: NETUID, validator: validator.hotkey }
  await commit(chain, validator, {
    kind: 'attest',
    epoch,
    bitmap: encodeBitmap(voters, new Set(whole)),
    next: commitmentOf({ ...place, epoch: epoch + 1, secret: SECRET }),
    stateRoot: stateRoot(state),
    url: 'memory',
  })
}

/** An honest lane of two miners, of which the contender alone can play. */
async function sampled(chain: LocalChain, state: State): Promise<readonly Sample[]> {
  const scope = await laneScope(chain, state, validator.hotkey)
  if (scope === null) throw new Error('nobody is due')
  return playPlan(scope, SECRET, (miner, { env }) => (messages) => {
    if (miner === champion.hotkey) return { fault: 'no-reply' }
    return { content: make(env).spec.solve(messages.at(-1)?.content ?? '') }
  })
}

test('a duel is recomputed from chain and bucket, in Node and in a browser alike', async () => {
  const chain = newChain()
  const bucket = new Memory()
  const { protocol } = network
  for (const { hotkey } of [champion, contender]) {
    const who = hotkey === champion.hotkey ? champion : contender
    await commit(chain, who, { kind: 'miner', model: `m-${hotkey}`, revision: 'r', chute: 'c' })
  }
  const nobody = () => Promise.reject(new Error('nobody was due'))
  let state = firstState(protocol, 0)
  for (const next of [1, 2]) {
    await attest(chain, state, [])
    await produceTo(chain, snapshotBlock(next, protocol) + 1)
    ;({ state } = await decideEpoch({ chain, network }, state, nobody))
  }

  const samples = await sampled(chain, state)
  const place = { genesis: chain.genesis, netuid: NETUID, validator: validator.hotkey, epoch: 2 }
  const draft = { ...place, height: 0, prev: NO_BLOCK, time: 0, secret: SECRET, samples }
  const block = await writeBlock({ ...draft, sign: validator.sign })
  bucket.files.set(blockPath(block.hash), block.bytes)
  bucket.files.set(statePath(2), new TextEncoder().encode(encodeState(state)))
  await commit(chain, validator, { kind: 'seal', epoch: 2, head: block.hash, url: 'memory' })
  await produceTo(chain, sealBlock(2, protocol))
  await attest(chain, state, [validator.hotkey])
  await produceTo(chain, snapshotBlock(3, protocol))

  const epochs: Recomputed[] = []
  const data = { chain, network, openBucket: () => bucket.source }
  for await (const epoch of recompute(data)) epochs.push(epoch)
  expect(epochs.map(({ flaws }) => flaws)).toEqual([[], [], []])
  expect(epochs[2]?.report).toMatchObject({ frozen: false, crowned: contender.hotkey })
  const [, , last] = epochs
  expect(last && stateRoot(last.state)).toBe(LAST_ROOT)
})
