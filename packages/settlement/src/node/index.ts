export * from './local-folder.ts'
export { createBucketOpener, expectBuckets } from './open-bucket.ts'
export { publicFetch } from './public-fetch.ts'
export { openThreads, type Threads } from './threads.ts'
