export { NODE_CALLER } from './caller.ts'
export { exchange } from './exchange.ts'
export { type Handler, type Listening, listen, listenWith } from './listen.ts'
export { type HeardRequest, serveMiner } from './serve-miner.ts'
