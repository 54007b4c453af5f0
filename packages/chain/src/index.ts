export * from './account.ts'
export * from './chain.ts'
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
