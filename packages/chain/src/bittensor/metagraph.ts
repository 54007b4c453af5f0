import { hexToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod/mini'
import { decodeAddress, encodeAddress } from '../account.ts'
import type { CommitmentSlot, Head, Neuron, Snapshot } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import { requireItem } from './runtime-faults.ts'
import { type Codec, type Runtime, readEntries } from './storage.ts'

/** A hotkey in a node's answer: an SS58 address with prefix 42. Protocol §1.4. */
const hotkeyShape = z.string().check(z.refine((text) => decodeAddress(text) !== null))

export async function readSnapshot(
  runtime: Runtime,
  head: Head,
  netuid: number,
): Promise<Snapshot> {
  const slots = readEntries(runtime, 'commitments.commitmentOf', netuid)
  const [metagraph, entries] = await Promise.all([readMetagraph(runtime, netuid), slots])
  const commitments = entries
    .map(([hotkey, registration]) => parseSlot(hotkey, registration))
    .sort((a, b) => (a.hotkey < b.hotkey ? -1 : 1))
  return { head, ...metagraph, commitments }
}

const count = z.int().check(z.minimum(0))

/** An integer. The JSON of @polkadot/types has hex strings for integers above 2^53. */
const integer = z.pipe(
  z.union([count, z.string().check(z.regex(/^0x[0-9a-f]{1,32}$/))]),
  z.transform((value) => BigInt(value)),
)

/**
 * The indexes by which `getSelectiveMetagraph` knows the fields of `metagraphShape`, in the order
 * of their declaration.
 */
const FIELD_INDEXES = [5, 8, 31, 36, 46, 47, 52, 57, 59, 66, 69]

const metagraphShape = z
  .object({
    ownerHotkey: hotkeyShape,
    tempo: count,
    maxUids: count,
    immunityPeriod: count,
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

/** The chain's answer for the owner's hotkey if it stores none: the address of 32 zero bytes. */
const NO_HOTKEY = encodeAddress(new Uint8Array(32))

/**
 * Reads the subnet's settings and neurons in one call. Stakes are the chain's totals of alpha and
 * TAO, in rao.
 * @throws ChainError, as a rejection: `SubnetNotExists`, `NotInRuntime`, `BadReply`.
 */
export async function readMetagraph(
  runtime: Runtime,
  netuid: number,
): Promise<Omit<Snapshot, 'head' | 'commitments'>> {
  const method = requireItem(runtime.call, 'subnetInfoRuntimeApi.getSelectiveMetagraph')
  const answer: Codec = await method(netuid, FIELD_INDEXES)
  if (answer.isEmpty) throw new ChainError('SubnetNotExists')
  const { data } = metagraphShape.safeParse(answer.toJSON())
  if (!data) throw new ChainError('BadReply', `the metagraph of subnet ${netuid} is malformed`)
  const { tempo, maxUids, immunityPeriod } = data
  const owner = data.ownerHotkey === NO_HOTKEY ? undefined : data.ownerHotkey
  const revealPeriod = data.commitRevealWeightsEnabled ? data.commitRevealPeriod : 0
  const neurons = data.hotkeys.map(
    (hotkey, uid): Neuron => ({
      uid,
      hotkey,
      stake: data.totalStake[uid] ?? 0n,
      permit: data.validatorPermit[uid] ?? false,
      registered: data.blockAtRegistration[uid] ?? 0,
      lastUpdate: data.lastUpdate[uid] ?? 0,
    }),
  )
  return { tempo, revealPeriod, maxUids, immunityPeriod, owner, neurons }
}

const hex = z.string().check(z.regex(/^0x([0-9a-f]{2})*$/))

const registrationShape = z.object({
  block: count,
  info: z.object({ fields: z.array(z.record(z.string(), z.unknown())) }),
})

/**
 * Returns the commitment of a hotkey.
 * @throws ChainError `BadReply` for a malformed commitment.
 */
export function parseSlot(hotkey: Codec, registration: Codec): CommitmentSlot {
  const { data: owner } = hotkeyShape.safeParse(hotkey.toJSON())
  const { data } = registrationShape.safeParse(registration.toJSON())
  if (owner === undefined || data === undefined)
    throw new ChainError('BadReply', 'a commitment on the chain is malformed')
  const { block, info } = data
  return { hotkey: owner, block, fields: info.fields.map(decodeField) }
}

/**
 * Returns the bytes of a field of plain bytes, or an empty array for any other field. A field's
 * only key is its kind: `Raw<length>`, such as `Raw32`, or `BigRaw` for plain bytes.
 */
function decodeField(field: Readonly<Record<string, unknown>>): Uint8Array {
  const [[kind, value] = ['', undefined]] = Object.entries(field)
  const { data: text } = hex.safeParse(value)
  const isPlain = text !== undefined && /^(raw\d+|bigRaw)$/i.test(kind)
  return isPlain ? hexToBytes(text.slice(2)) : new Uint8Array(0)
}
