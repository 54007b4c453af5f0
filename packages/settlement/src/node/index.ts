export { NODE_HOST } from './host.ts'
export {
  begunWith,
  chainIn,
  hasChain,
  isUnused,
  type KeyCounts,
  keyNamed,
  keysIn,
  openFolder,
} from './local-folder/folder.ts'
export { KeptChain } from './local-folder/kept-chain.ts'
export { bucketsIn, expectBuckets, openBucket } from './open-bucket.ts'
export { type FetchOptions, publicFetch } from './public-fetch.ts'
export { openThreads, type Threads } from './threads.ts'
