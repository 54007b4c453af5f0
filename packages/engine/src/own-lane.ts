import { join } from 'node:path'
import {
  type BlockDraft,
  type Bucket,
  blockPath,
  blockReader,
  commitmentOf,
  isRoomFor,
  type Lane,
  NO_BLOCK,
  type Sample,
  type Scope,
  toLine,
  writeBlock,
} from '@affine/blocks'
import { verify } from '@affine/chain/account'
import type { Protocol, State } from '@affine/duel'
import { AlteredFile, keptSecret } from '@affine/node/disk'
import type { Hash } from '@affine/prng'
import {
  averageBlockMs,
  beaconBlock,
  checkLane,
  laneScope,
  SYSTEM_CLOCK,
  sealsOf,
} from '@affine/settlement'
import type { GamesTime } from './games.ts'
import type { LaneTask, SampledLane } from './sampling.ts'
import type { Setup } from './setup.ts'

/** How many blocks before a deadline a validator stops waiting for others and does its own part. */
export const marginBlocks = (blocks: number): number => Math.max(2, Math.floor(blocks / 10))

/** For so many blocks of an epoch a validator samples. Protocol §5.4. */
export const samplingBlocks = ({ sealBlock }: Protocol): number =>
  sealBlock - marginBlocks(sealBlock)

/** The own lane, which was checked and is whole, and the hash of its last block. */
export interface OwnLane {
  readonly head: Hash
  readonly lane: { readonly ok: true; readonly value: Lane }
}

/**
 * What this validator has to sample in the epoch that `state` governs, from now on; undefined when
 * it is not due.
 * @throws AlteredFile if that is the epoch's secret.
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
  const { templates } = protocol
  const time = await estimateGamesTime(setup, state)
  const playing = [champion, ...duels.map(({ contender }) => contender)]
  const miners = playing.map((miner) => ({ ...miner, templates }))
  return { ...setup, scope, miners, secret, journalPath, deadline, gamesTime: time }
}

/**
 * When sampling ends if blocks come as the last ones did, counted from the newest: the head that
 * this epoch began with may be old, as to decide the one before takes time.
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

/** Where an epoch's secret is in the validator's folder. */
const secretPath = (epoch: number): string => `secrets/${epoch}`

/**
 * The secret of `epoch`, 64 hex digits: made, and synced to disk, before its digest can go on
 * chain. Protocol §4.
 * @throws AlteredFile when the file holds something else.
 */
export const loadSecret = (
  setup: Pick<Setup, 'store' | 'folder' | 'random'>,
  epoch: number,
): Promise<Hash> => keptSecret(setup.store, secretPath(epoch), setup)

/** The epoch's secret, if it is the one whose digest is on chain. */
async function loadCommittedSecret(setup: Setup, scope: Scope): Promise<Hash> {
  const secret = await loadSecret(setup, scope.epoch)
  if (commitmentOf({ ...scope, secret }) === scope.commitment) return secret
  const path = `${setup.folder}/${secretPath(scope.epoch)}`
  throw new AlteredFile(path, 'OTHER_SECRET', 'not the secret whose digest is on chain')
}

/**
 * The head of this validator's lane, if its seal is on chain already. It must not be made again: if
 * the journal was lost since, the result would be a second lane in the same epoch.
 */
export async function readOwnSeal(
  { chain, account }: Pick<Setup, 'chain' | 'account'>,
  epoch: number,
): Promise<Hash | undefined> {
  const { number } = await chain.head()
  return sealsOf(await chain.snapshot(number), epoch)[account.hotkey]
}

/**
 * Writes a sampled lane to the store as blocks, and checks it as everybody else will, which replays
 * it once: only what they will find whole is sealed. It is checked in this thread: a thread that is
 * still to be started takes longer than a local network leaves between sampling and seal.
 * @throws AlteredFile if that is the journal.
 */
export async function writeOwnLane(
  { chain, account, store }: Setup,
  state: State,
  { scope, secret, journalPath, samples, time }: LaneTask & SampledLane,
): Promise<OwnLane> {
  const { genesis, netuid, validator, epoch } = scope
  const prev = state.heads[validator] ?? NO_BLOCK
  const { sign } = account
  const draft = { genesis, netuid, validator, epoch, prev, secret, sign, samples, time }
  const hashes = await writeLane(draft, store).catch((error: Error) => {
    const isDrafts = error instanceof RangeError || error instanceof TypeError
    throw isDrafts ? new AlteredFile(journalPath, 'BAD_SAMPLE', error.message) : error
  })
  const head = hashes.at(-1) ?? ''
  const read = blockReader(store, verify)
  const lane = await checkLane({ chain, state, validator, head, read })
  if (!lane.ok) throw new AlteredFile(journalPath, lane.code, `${lane.code}: ${lane.detail}`)
  return { head, lane }
}

/**
 * Writes an epoch's samples, in their order, to `store` as the blocks of a lane and returns their
 * hashes, first to last. `prev` is the validator's last seal on chain, or `NO_BLOCK`. Protocol
 * §6.2.
 *
 * The hashes follow from the draft alone: after a crash the same lane comes out, so there are never
 * two blocks at one height. A block that is in the store already is left as it is, if it is the
 * same.
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

/** The samples of each block, full but for the last. A lane of none is a block too. */
function splitIntoBlocks(samples: readonly Sample[]): readonly (readonly Sample[])[] {
  let block: Sample[] = []
  let bytes = 0
  const blocks = [block]
  for (const sample of samples) {
    const line = Buffer.byteLength(toLine(sample)) + 1
    if (!isRoomFor(block.length + 1, bytes + line)) {
      block = []
      bytes = 0
      blocks.push(block)
    }
    block.push(sample)
    bytes += line
  }
  return blocks
}
