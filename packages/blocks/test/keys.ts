import { account, verify } from '@affine/chain'
import type { Key } from './lane.ts'

/** Returns a real sr25519 key with deterministic signatures. */
export const keyOf = (seed: number): Key => ({
  ...account(new Uint8Array(32).fill(seed)),
  verify,
})
