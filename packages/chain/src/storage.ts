import { hexToBytes } from '@noble/hashes/utils.js'
import type { ApiPromise } from '@polkadot/api'
import * as z from 'zod'
import { decodeAddress } from './account.ts'
import {
  ChainError,
  type CommitmentSlot,
  type Neuron,
  type Snapshot,
  type Weights,
} from './chain.ts'

/** A value of the chain, decoded. */
export interface Codec {
  readonly isEmpty: boolean
  toJSON(): unknown
  toString(): string
}

/**
 * What the chain's storage holds at one block. A runtime that lacks what is asked for is told by
 * name.
 */
export interface Storage {
  /** Does the runtime have this storage item? */
  has(pallet: string, item: string): boolean
  hasCall(pallet: string, name: string): boolean
  query(pallet: string, item: string, ...keys: unknown[]): Promise<Codec>
  /**
   * All values below the first key of a double map, by the second, in at most one call for each
   * 1000.
   */
  entries(pallet: string, item: string, key: number): Promise<[key: Codec, value: Codec][]>
  /** A runtime API's answer; null when the runtime does not have it. */
  call(api: string, method: string, ...args: unknown[]): Promise<Codec | null>
  constant(pallet: string, name: string): Codec | undefined
}

export async function storageAt(api: ApiPromise, hash: string): Promise<Storage> {
  const at = await api.at(`0x${hash}`)
  const item = (pallet: string, name: string) => {
    const found = at.query[pallet]?.[name]
    if (!found)
      throw new ChainError('NotInRuntime', `this chain's runtime has no storage ${pallet}.${name}`)
    return found
  }
  return {
    has: (pallet, name) => at.query[pallet]?.[name] !== undefined,
    hasCall: (pallet, name) => api.tx[pallet]?.[name] !== undefined,
    query: async (pallet, name, ...keys) => item(pallet, name)(...keys),
    entries: async (pallet, name, key) => {
      const entries = await item(pallet, name).entries(key)
      return entries.flatMap(([{ args }, value]) => (args[1] ? [[args[1], value]] : []))
    },
    call: async (name, method, ...args) => (await at.call[name]?.[method]?.(...args)) ?? null,
    constant: (pallet, name) => at.consts[pallet]?.[name],
  }
}

/** In JSON, an integer above 2^53 is hex. */
const integer = z
  .union([z.int().min(0), z.string().regex(/^0x[0-9a-f]+$/)])
  .transform((value) => BigInt(value))
const hex = z.string().regex(/^0x([0-9a-f]{2})*$/)

const address = z.string().refine((text) => decodeAddress(text) !== null)

const metagraphShape = z.object({
  tempo: z.int().min(0),
  commitRevealWeightsEnabled: z.boolean(),
  commitRevealPeriod: z.int().min(0),
  hotkeys: z.array(address),
  validatorPermit: z.array(z.boolean()),
  lastUpdate: z.array(z.int().min(0)),
  totalStake: z.array(integer),
})
/** The metagraph's fields by the numbers that `getSelectiveMetagraph` has for them. */
const FIELDS = {
  tempo: 8,
  enabled: 46,
  period: 47,
  hotkeys: 52,
  permits: 57,
  lastUpdate: 59,
  totalStake: 69,
}

/**
 * The subnet's settings and its neurons, in one call. Total stake as the chain counts it, alpha and
 * TAO.
 * @throws ChainError `SubnetNotExists`, `NotInRuntime`, `BadReply`.
 */
export async function metagraphOf(
  storage: Storage,
  netuid: number,
): Promise<Omit<Snapshot, 'head' | 'commitments'>> {
  const api = 'subnetInfoRuntimeApi'
  const answer =
    (await storage.call(api, 'getSelectiveMetagraph', netuid, Object.values(FIELDS))) ??
    (await storage.call(api, 'getMetagraph', netuid))
  if (answer === null)
    throw new ChainError('NotInRuntime', "this chain's runtime has no call for the metagraph")
  if (answer.isEmpty) throw new ChainError('SubnetNotExists')
  const { data } = metagraphShape.safeParse(answer.toJSON())
  const count = data?.hotkeys.length
  if (
    !data ||
    [data.validatorPermit, data.lastUpdate, data.totalStake].some(({ length }) => length !== count)
  )
    throw new ChainError('BadReply', `the metagraph of subnet ${netuid} is not as it should be`)
  const neurons = data.hotkeys.map((hotkey, uid): Neuron => {
    const [permit, lastUpdate, stake] = [
      data.validatorPermit[uid],
      data.lastUpdate[uid],
      data.totalStake[uid],
    ]
    return { uid, hotkey, stake: stake ?? 0n, permit: permit ?? false, lastUpdate: lastUpdate ?? 0 }
  })
  const { tempo, commitRevealWeightsEnabled, commitRevealPeriod } = data
  return { tempo, revealPeriod: commitRevealWeightsEnabled ? commitRevealPeriod : 0, neurons }
}
const registration = z.object({
  block: z.int().min(0),
  info: z.object({ fields: z.array(z.record(z.string(), z.unknown())) }),
})

/** What a hotkey has committed; a field that is not plain bytes reads as no bytes. */
export function slotOf(hotkey: Codec, value: Codec): CommitmentSlot {
  const { data } = z.tuple([address, registration]).safeParse([hotkey.toJSON(), value.toJSON()])
  if (!data) throw new ChainError('BadReply', 'a commitment on the chain is not as it should be')
  const [owner, { block, info }] = data
  const fields = info.fields.map((field) => {
    const [[kind, bytes] = []] = Object.entries(field)
    const text = hex.safeParse(bytes).data
    return kind !== undefined && /^(raw\d+|bigRaw)$/i.test(kind) && text
      ? hexToBytes(text.slice(2))
      : new Uint8Array(0)
  })
  return { hotkey: owner, block, fields }
}

const u16 = z.int().min(0).max(65_535)
const row = z.array(z.tuple([u16, u16]))

/** A row of the weight matrix. */
export function rowOf(value: Codec): Weights {
  const { data } = row.safeParse(value.toJSON())
  if (!data) throw new ChainError('BadReply', 'weights on the chain are not as they should be')
  return data
}
