export { exchange, NODE_CALLER } from './exchange.ts'
export { type Handler, type Listening, listen, listenWith } from './listen.ts'
export { type HeardRequest, serveMiner } from './serve-miner.ts'
