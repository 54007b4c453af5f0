export {
  type Account,
  account,
  decodeAddress,
  encodeAddress,
  verify,
  verifyReady,
} from './account.ts'
export {
  BLOCK_MS,
  type Chain,
  type CommitmentSlot,
  type Head,
  type Neuron,
  type Snapshot,
  type UidWeights,
} from './chain.ts'
export { ChainError } from './chain-error.ts'
export { type Commitment, decodeCommitment, encodeCommitment } from './commitment.ts'
export { decimalOf } from './decimal.ts'
export { LocalChain, type LocalOptions } from './local/local-chain.ts'
export { serveLocal } from './local/local-server.ts'
export type { Params } from './local/log.ts'
export { openExport, openServed } from './local/open-local.ts'
export { remoteChain } from './local/remote-chain.ts'
export type { ChainOpening, Host, OpenAt, OpenedChain } from './opening.ts'
export { readSlot, type SlotRecord } from './slot-record.ts'
