import * as z from 'zod/mini'
import type { Neuron, Snapshot } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import { hotkeyShape } from './hotkey-shape.ts'
import type { Codec, Storage } from './storage.ts'

/** The numbers by which `getSelectiveMetagraph` selects fields of the metagraph. */
const FIELDS = {
  tempo: 8,
  enabled: 46,
  period: 47,
  hotkeys: 52,
  permits: 57,
  lastUpdate: 59,
  blockAtRegistration: 66,
  totalStake: 69,
}

const count = z.int().check(z.minimum(0))

/** In the library's JSON, an integer above 2^53 is a hex text. */
const integer = z.pipe(
  z.union([count, z.string().check(z.regex(/^0x[0-9a-f]{1,32}$/))]),
  z.transform((value) => BigInt(value)),
)

const metagraphShape = z
  .object({
    tempo: count,
    commitRevealWeightsEnabled: z.boolean(),
    commitRevealPeriod: count,
    hotkeys: z.array(hotkeyShape),
    validatorPermit: z.array(z.boolean()),
    lastUpdate: z.array(count),
    blockAtRegistration: z.array(count),
    totalStake: z.array(integer),
  })
  .check(
    z.refine(({ hotkeys, validatorPermit, lastUpdate, blockAtRegistration, totalStake }) =>
      [validatorPermit, lastUpdate, blockAtRegistration, totalStake].every(
        ({ length }) => length === hotkeys.length,
      ),
    ),
  )

/**
 * The subnet's settings and its neurons, in one call. Stakes are the chain's totals of alpha and
 * TAO, in rao.
 * @throws ChainError, as a rejection: `SubnetNotExists`, `NotInRuntime`, `BadReply`.
 */
export async function metagraphOf(
  storage: Storage,
  netuid: number,
): Promise<Omit<Snapshot, 'head' | 'commitments'>> {
  const answer = await answerOf(storage, netuid)
  if (answer.isEmpty) throw new ChainError('SubnetNotExists')
  const { data } = metagraphShape.safeParse(answer.toJSON())
  if (!data) throw new ChainError('BadReply', `the metagraph of subnet ${netuid} is malformed`)
  const { tempo, hotkeys, validatorPermit, lastUpdate, blockAtRegistration, totalStake } = data
  const revealPeriod = data.commitRevealWeightsEnabled ? data.commitRevealPeriod : 0
  const neurons = hotkeys.map(
    (hotkey, uid): Neuron => ({
      uid,
      hotkey,
      stake: totalStake[uid] ?? 0n,
      permit: validatorPermit[uid] ?? false,
      registered: blockAtRegistration[uid] ?? 0,
      lastUpdate: lastUpdate[uid] ?? 0,
    }),
  )
  return { tempo, revealPeriod, neurons }
}

/** The metagraph, with only the fields above if the runtime can select fields, else with all. */
async function answerOf(storage: Storage, netuid: number): Promise<Codec> {
  const api = 'subnetInfoRuntimeApi'
  const chosen = await storage.call(api, 'getSelectiveMetagraph', netuid, Object.values(FIELDS))
  if (chosen !== null) return chosen
  const all = await storage.call(api, 'getMetagraph', netuid)
  if (all !== null) return all
  throw new ChainError('NotInRuntime', "this chain's runtime has no call for the metagraph")
}
