import { join } from 'node:path'
import {
  type BlockDraft,
  type Bucket,
  blockPath,
  createBlockReader,
  hashCommitment,
  isWithinBlock,
  type Lane,
  NO_BLOCK,
  type Sample,
  type Scope,
  toLine,
  writeBlock,
} from '@affine/blocks'
import { verify } from '@affine/chain/account'
import type { Protocol, State } from '@affine/duel'
import { AlteredFile, openSecret } from '@affine/node/disk'
import type { Hash } from '@affine/prng'
import {
  averageBlockMs,
  beaconBlock,
  checkLane,
  laneScope,
  listSeals,
  SYSTEM_CLOCK,
} from '@affine/settlement'
import type { GamesTime } from './games.ts'
import type { LaneTask, SampledLane } from './sampling.ts'
import type { Setup } from './setup.ts'

/**
 * Returns how many blocks before the end of a phase of `blocks` blocks a validator stops waiting
 * for others: a tenth, at least 2.
 */
export const margin = (blocks: number): number => Math.max(2, Math.floor(blocks / 10))

/** Returns the number of blocks of an epoch in which a validator samples. Protocol §5.4. */
export const samplingBlocks = ({ sealBlock }: Protocol): number => sealBlock - margin(sealBlock)

/**
 * Returns the sampling task of this validator in the epoch that `state` governs, or undefined if no
 * lane is due.
 * @throws AlteredFile if the stored secret is not the one whose digest is on chain.
 */
export async function createOwnTask(
  setup: Setup,
  state: State,
  deadline: AbortSignal,
): Promise<LaneTask | undefined> {
  const { chain, account, folder } = setup
  const { champion, duels, epoch, protocol } = state
  const scope = await laneScope(chain, state, account.hotkey)
  if (scope === null || champion === undefined) return undefined
  const secret = await loadCommittedSecret(setup, scope)
  const journalPath = join(folder, 'journal', `${epoch}.jsonl`)
  const gamesTime = await estimateGamesTime(setup, state)
  const playing = [champion, ...duels.map(({ contender }) => contender)]
  const miners = playing.map((miner) => ({ ...miner, templates: protocol.templates }))
  return { ...setup, scope, miners, secret, journalPath, deadline, gamesTime }
}

/**
 * Estimates when sampling ends, from the newest block at the pace of the last blocks. The head that
 * started this job may be old, because deciding the previous epoch takes time.
 */
async function estimateGamesTime(
  { chain, clock = SYSTEM_CLOCK }: Setup,
  { epoch, protocol }: State,
): Promise<GamesTime> {
  const { number: block } = await chain.head()
  const seenAt = clock.now()
  const blockMs = await averageBlockMs(chain, block)
  const blocks = samplingBlocks(protocol)
  const left = beaconBlock(epoch, protocol) + blocks - block
  return { ...clock, samplingMs: blocks * blockMs, endsAt: seenAt + left * blockMs }
}

const secretPath = (epoch: number): string => `secrets/${epoch}`

/**
 * Returns the secret of `epoch`, 64 hex digits. A new secret is synced to disk before its digest
 * can be committed on chain. Protocol §4.
 * @throws AlteredFile if the file has other contents.
 */
export const loadSecret = (
  setup: Pick<Setup, 'store' | 'folder' | 'random'>,
  epoch: number,
): Promise<Hash> => openSecret(setup.store, secretPath(epoch), setup)

/** Returns the secret of the epoch. Rejects with AlteredFile unless its digest is on chain. */
async function loadCommittedSecret(setup: Setup, scope: Scope): Promise<Hash> {
  const secret = await loadSecret(setup, scope.epoch)
  if (hashCommitment({ ...scope, secret }) === scope.commitment) return secret
  const path = `${setup.folder}/${secretPath(scope.epoch)}`
  throw new AlteredFile(path, 'OTHER_SECRET', 'not the secret whose digest is on chain')
}

/**
 * Returns the head of this validator's lane, if its seal is on chain. A sealed lane must not be
 * created again: after the loss of its journal this would be a second lane in the same epoch.
 */
export async function readOwnSeal(
  { chain, account }: Pick<Setup, 'chain' | 'account'>,
  epoch: number,
): Promise<Hash | undefined> {
  const { number } = await chain.head()
  return listSeals(await chain.snapshot(number), epoch)[account.hotkey]
}

/**
 * Writes a sampled lane to the store as blocks, and verifies it as others will, so that only a
 * valid lane is sealed. Returns the verified lane. Uses this thread: on a local network, starting
 * another takes longer than the time between sampling and seal.
 * @throws AlteredFile if the journal was altered.
 */
export async function writeOwnLane(
  { chain, account, store }: Setup,
  state: State,
  { scope, secret, journalPath, samples, time }: LaneTask & SampledLane,
): Promise<Lane> {
  const { genesis, netuid, validator, epoch } = scope
  const prev = state.heads[validator] ?? NO_BLOCK
  const { sign } = account
  const draft = { genesis, netuid, validator, epoch, prev, secret, sign, samples, time }
  const hashes = await writeLane(draft, store).catch((error: Error) => {
    const isInvalidDraft = error instanceof RangeError || error instanceof TypeError
    throw isInvalidDraft ? new AlteredFile(journalPath, 'BAD_SAMPLE', error.message) : error
  })
  const head = hashes.at(-1) ?? ''
  const read = createBlockReader(store, verify)
  const lane = await checkLane({ chain, state, validator, head, read })
  if (!lane.ok) throw new AlteredFile(journalPath, lane.code, `${lane.code}: ${lane.detail}`)
  return lane.value
}

/**
 * Writes samples, in their order, to `store` as the blocks of a lane. Returns the blocks' hashes,
 * first to last. `prev` is the validator's last sealed head, or `NO_BLOCK`. Protocol §6.2.
 *
 * The hashes depend only on the draft: the same lane results after a crash, so there are never two
 * blocks at one height.
 */
export async function writeLane(
  { secret, ...draft }: Omit<BlockDraft, 'height'> & { readonly secret: Hash },
  store: Bucket,
): Promise<readonly Hash[]> {
  const hashes: Hash[] = []
  const shares = splitIntoBlocks(draft.samples)
  for (const [height, samples] of shares.entries()) {
    const prev = hashes.at(-1) ?? draft.prev
    const isLast = height === shares.length - 1
    const block = { ...draft, height, prev, samples, ...(isLast && { secret }) }
    const { hash, bytes } = await writeBlock(block)
    await store.write(blockPath(hash), bytes)
    hashes.push(hash)
  }
  return hashes
}

/** Splits samples into blocks, all full except the last. Without samples there is one block. */
function splitIntoBlocks(samples: readonly Sample[]): readonly (readonly Sample[])[] {
  let block: Sample[] = []
  let bytes = 0
  const blocks = [block]
  for (const sample of samples) {
    const line = Buffer.byteLength(toLine(sample)) + 1
    if (!isWithinBlock(block.length + 1, bytes + line)) {
      block = []
      bytes = 0
      blocks.push(block)
    }
    block.push(sample)
    bytes += line
  }
  return blocks
}
