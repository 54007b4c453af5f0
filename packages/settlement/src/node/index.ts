export { NODE_HOST } from './host.ts'
export { openBucket } from './open-bucket.ts'
export { type FetchOptions, publicFetch } from './public-fetch.ts'
export { openThreads, type Threads } from './threads.ts'
