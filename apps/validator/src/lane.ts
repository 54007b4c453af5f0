import { join } from 'node:path'
import {
  type BlockDraft,
  type Bucket,
  blockPath,
  commitmentOf,
  LIMITS,
  NO_BLOCK,
  writeBlock,
} from '@affine/blocks'
import type { State } from '@affine/duel'
import type { Hash } from '@affine/prng'
import {
  bucketUrls,
  checkLane,
  type LaneVerdict,
  laneScope,
  sealBlock,
  sealsOf,
  sourceReader,
} from '@affine/verifier'
import type { Peers } from './peers.ts'
import { sampleLane } from './sampling.ts'
import type { Setup } from './setup.ts'

/** As many samples of the largest size as fit in a block, header and signature included. */
const SAMPLES_A_BLOCK = Math.floor((LIMITS.blockBytes - 4096) / (LIMITS.sampleBytes + 1))

/**
 * This validator's lane in the epoch that `state` governs, sampled to its end, written to the store
 * and found whole: the hashes of its blocks, first to last; none when the validator is not due.
 * Asked again, it asks no miner twice. Of a lane whose seal is on chain it is the head alone: made
 * from a journal that was lost in between, it would be a second one.
 *
 * @throws Error saying what in the folder was altered, and what to do.
 */
export async function ownLane(
  setup: Setup,
  state: State,
  deadline: AbortSignal,
): Promise<readonly Hash[]> {
  const { chain, account, folder, store } = setup
  const { epoch, duel } = state
  const scope = await laneScope(chain, state, account.hotkey)
  if (scope === null || duel === undefined) return []
  const { number } = await chain.head()
  const sealed = sealsOf(await chain.snapshot(number), epoch)[account.hotkey]
  if (sealed !== undefined) return [sealed]
  const secret = await secretOf(setup, epoch)
  if (commitmentOf({ ...scope, secret }) !== scope.commitment)
    throw new Error(
      `${folder}/${secretPath(epoch)} is not the secret whose digest is on chain: put that one back`,
    )
  const journalPath = join(folder, 'journal', `${epoch}.jsonl`)
  const sampled = await sampleLane({ ...setup, scope, duel, secret, journalPath, deadline })
  const { genesis, netuid, validator } = scope
  const prev = state.heads[validator] ?? NO_BLOCK
  const draft = { genesis, netuid, validator, epoch, prev, secret, sign: account.sign, ...sampled }
  const altered = (why: string) =>
    new Error(`${journalPath} was altered: ${why}. Put it back, or move it away`)
  const hashes = await writeLane(draft, store).catch((error: Error) => {
    throw error instanceof RangeError || error instanceof TypeError ? altered(error.message) : error
  })
  // Only what everybody else will find whole is sealed.
  const read = sourceReader([{ name: 'the own folder', read: store.read }])
  const verdict = await checkLane(chain, state, validator, hashes.at(-1) ?? '', read)
  if (!verdict.ok) throw altered(`${verdict.code}: ${verdict.detail}`)
  return hashes
}

/** All blocks of one lane as one. `prev` is the validator's last seal on chain, or `NO_BLOCK`. */
type LaneDraft = Omit<BlockDraft, 'height'> & { readonly secret: Hash }

/**
 * Writes an epoch's samples to `store` as the blocks of a lane and returns their hashes, first to
 * last.
 *
 * The hashes follow from the draft alone, whatever the order of the samples: after a crash the same
 * lane comes out, so there are never two blocks at one height. A block that is in the store already
 * is left as it is, if it is the same.
 */
export async function writeLane(
  { secret, ...draft }: LaneDraft,
  store: Bucket,
): Promise<readonly Hash[]> {
  const left = [...draft.samples].sort((a, b) =>
    a.env < b.env ? -1 : a.env > b.env ? 1 : a.index - b.index,
  )
  const hashes: Hash[] = []
  do {
    const samples = left.splice(0, SAMPLES_A_BLOCK)
    const prev = hashes.at(-1) ?? draft.prev
    const last = left.length === 0 && { secret } // an empty lane is one block too: it reveals the secret
    const { hash, bytes } = await writeBlock({
      ...draft,
      height: hashes.length,
      prev,
      ...last,
      samples,
    })
    await store.write(blockPath(hash), bytes)
    hashes.push(hash)
  } while (left.length > 0)
  return hashes
}

const secretPath = (epoch: number): string => `secrets/${epoch}`

/**
 * The secret of `epoch`, 64 hex digits: made, and synced to disk, before its digest can go on
 * chain.
 * @throws Error when its file was altered.
 */
export async function secretOf({ store, folder, random }: Setup, epoch: number): Promise<Hash> {
  const path = secretPath(epoch)
  const kept = await store.read(path, 64)
  const secret =
    kept === null ? Buffer.from(random(32)).toString('hex') : new TextDecoder().decode(kept)
  if (!/^[0-9a-f]{64}$/.test(secret))
    throw new Error(`${folder}/${path} is no secret: put it back, or move it away`)
  // Also one that is there: a crash may have come before its sync.
  await store.write(path, new TextEncoder().encode(secret))
  return secret
}

/**
 * Verifies a sealed lane and puts it into the own bucket block by block: from there what it holds
 * already, then from the own store, which has the own lanes, then from the validator's bucket, then
 * from anyone else's.
 */
export async function checkSealed(
  { chain, account, bucket, store }: Setup,
  peers: Peers,
  state: State,
  validator: string,
  head: Hash,
): Promise<LaneVerdict> {
  const urls = bucketUrls(await chain.snapshot(sealBlock(state.epoch, state.protocol)))
  const others = [...new Set([validator, ...urls.keys()])].filter(
    (hotkey) => hotkey !== account.hotkey,
  )
  const own = [bucket, store].map(({ read }) => ({ name: account.hotkey, read }))
  const sources = [...own, ...others.map((hotkey) => peers.source(hotkey, urls.get(hotkey) ?? ''))]
  const known = sources.filter((source) => source !== null)
  const read = sourceReader(known, (hash, bytes) => bucket.write(blockPath(hash), bytes))
  return checkLane(chain, state, validator, head, read)
}
