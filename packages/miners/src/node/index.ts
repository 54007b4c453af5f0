export { exchange, NODE_CALLER } from './exchange.ts'
export { type HeardRequest, serveMiner } from './serve-miner.ts'
