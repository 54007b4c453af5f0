import * as z from 'zod/mini'
import type { UidWeights } from '../chain.ts'
import { ChainError } from '../chain-error.ts'
import { rescale } from '../max-upscale.ts'
import { type Codec, type Storage, SUBNET_PALLET } from './storage.ts'
import type { HotkeyWeights } from './weight-plan.ts'

const u16 = z.int().check(z.minimum(0), z.maximum(65_535))
const rowShape = z.array(z.tuple([u16, u16]))

/**
 * A row of the weight matrix.
 * @throws ChainError `BadReply` if it is malformed.
 */
export function rowOf(value: Codec): UidWeights {
  const { data } = rowShape.safeParse(value.toJSON())
  if (!data) throw new ChainError('BadReply', 'the weights on the chain are malformed')
  return data
}

/** Has the hotkey these weights, as the chain rescales them? */
export async function areInForce(
  storage: Storage,
  netuid: number,
  { hotkey, weights }: HotkeyWeights,
): Promise<boolean> {
  const uid = await storage.integer(SUBNET_PALLET, 'uids', netuid, hotkey)
  const row = rowOf(await storage.query(SUBNET_PALLET, 'weights', netuid, uid))
  return JSON.stringify(row) === JSON.stringify(rescale(weights))
}
