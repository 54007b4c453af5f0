import { join } from 'node:path'
import { commitmentOf, NO_BLOCK, type Scope } from '@affine/blocks'
import type { Duel, State } from '@affine/duel'
import type { Hash } from '@affine/prng'
import { type CheckedLane, checkLane, laneScope, sealsOf, sourceReader } from '@affine/settlement'
import { sampleLane } from './sampling.ts'
import { secretOf, secretPath } from './secret.ts'
import type { Setup } from './setup.ts'
import { writeLane } from './write-lane.ts'

/** The own lane: the hash of its last block, and the lane if it was checked here. */
export interface OwnLane {
  readonly head: Hash
  readonly lane?: CheckedLane
}

/**
 * This validator's lane in the epoch that `state` governs, sampled to its end, written to the store
 * and checked, which replays it once; undefined when the validator is not due. Asked again, it asks
 * no miner twice. Of a lane whose seal is on chain it is that one: made from a journal that was
 * lost in between, it would be a second one.
 *
 * @throws Error saying what in the folder was altered, and what to do.
 */
export async function ownLane(
  setup: Setup,
  state: State,
  deadline: AbortSignal,
): Promise<OwnLane | undefined> {
  const { chain, account } = setup
  const { epoch, duel } = state
  const scope = await laneScope(chain, state, account.hotkey)
  if (scope === null || duel === undefined) return undefined
  const { number } = await chain.head()
  const sealed = sealsOf(await chain.snapshot(number), epoch)[account.hotkey]
  if (sealed !== undefined) return { head: sealed }
  const own = { state, duel, scope, secret: await committedSecret(setup, scope) }
  return sampleAndWrite(setup, own, deadline)
}

/** The epoch's secret, if it is the one whose digest is on chain. */
async function committedSecret(setup: Setup, scope: Scope): Promise<Hash> {
  const secret = await secretOf(setup, scope.epoch)
  if (commitmentOf({ ...scope, secret }) === scope.commitment) return secret
  const path = `${setup.folder}/${secretPath(scope.epoch)}`
  throw new Error(`${path} is not the secret whose digest is on chain: put that one back`)
}

/** What this validator's lane is about. */
interface Own {
  readonly state: State
  readonly duel: Duel
  readonly scope: Scope
  readonly secret: Hash
}

async function sampleAndWrite(setup: Setup, own: Own, deadline: AbortSignal): Promise<OwnLane> {
  const { chain, account, folder, store, check } = setup
  const { state, duel, scope, secret } = own
  const journalPath = join(folder, 'journal', `${scope.epoch}.jsonl`)
  const altered = (why: string): Error =>
    new Error(`${journalPath} was altered: ${why}. Put it back, or move it away`)
  const sampled = await sampleLane({ ...setup, scope, duel, secret, journalPath, deadline })
  const { genesis, netuid, validator, epoch } = scope
  const prev = state.heads[validator] ?? NO_BLOCK
  const draft = { genesis, netuid, validator, epoch, prev, secret, sign: account.sign, ...sampled }
  const hashes = await writeLane(draft, store).catch((error: Error) => {
    const isDrafts = error instanceof RangeError || error instanceof TypeError
    throw isDrafts ? altered(error.message) : error
  })
  // Only what everybody else will find whole is sealed.
  const head = hashes.at(-1) ?? ''
  const read = sourceReader({ sources: [{ name: 'the own folder', read: store.read }], check })
  const lane = await checkLane({ chain, state, validator, head, read })
  if (!lane.ok) throw altered(`${lane.code}: ${lane.detail}`)
  return { head, lane }
}
