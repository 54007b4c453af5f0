export { exchange, NODE_CALLER } from './exchange.ts'
export { serveMiner } from './serve-miner.ts'
