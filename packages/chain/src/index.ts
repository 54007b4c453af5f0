export { type Account, account, decodeAddress, encodeAddress, verify } from './account.ts'
export {
  type Chain,
  ChainError,
  type CommitmentSlot,
  type Head,
  type Neuron,
  type Snapshot,
  type Weights,
} from './chain.ts'
export { type Commitment, decodeCommitment, encodeCommitment } from './commitment.ts'
export type { Params } from './ledger.ts'
export { LocalChain, type LocalOptions, type Random } from './local-chain.ts'
export { type RemoteChain, remoteChain } from './remote-chain.ts'
export { serveLocal } from './serve-local.ts'
