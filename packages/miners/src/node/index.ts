export { exchange, NODE_CALLER } from './exchange.ts'
export { type MinerRequest, serveMiner } from './serve-miner.ts'
