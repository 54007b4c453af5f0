import { type BlockDraft, NO_BLOCK } from '@affine/blocks'
import { type Account, account } from '@affine/chain'

export const key: Account = account(new Uint8Array(32).fill(3))

/** A block without samples and without a signature. */
export const draft: Omit<BlockDraft, 'sign'> & { readonly secret: string } = {
  genesis: '9e'.repeat(32),
  netuid: 120,
  validator: key.hotkey,
  epoch: 1,
  height: 0,
  prev: NO_BLOCK,
  time: 0,
  secret: '5e'.repeat(32),
  samples: [],
}
