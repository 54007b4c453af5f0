export { connectionReason } from './connection-reason.ts'
export { decodeBody, isDecodingError } from './content-encoding.ts'
export { type Agents, fetchBy, nodeFetch } from './fetch.ts'
export { type Incoming, KEPT, keptAgents, sendRequest } from './http-request.ts'
