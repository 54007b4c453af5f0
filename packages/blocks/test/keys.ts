import { account, verify } from '@affine/chain'
import type { Key } from './lane.ts'

/** A real sr25519 key; its signatures are deterministic. */
export const keyOf = (seed: number): Key => ({
  ...account(new Uint8Array(32).fill(seed)),
  verify,
})
