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
  type ChainOpening,
  type CommitmentSlot,
  decimalOf,
  type Head,
  type Host,
  type Neuron,
  type OpenAt,
  type OpenedChain,
  type Snapshot,
  type UidWeights,
} from './chain.ts'
export { ChainError } from './chain-error.ts'
export {
  type Commitment,
  decodeCommitment,
  encodeCommitment,
  readSlot,
  type SlotRecord,
} from './commitment.ts'
export { LocalChain, type LocalOptions, openExport } from './local/local-chain.ts'
export { serveLocal } from './local/local-server.ts'
export type { Params } from './local/log.ts'
export { openServed, remoteChain } from './local/remote-chain.ts'
