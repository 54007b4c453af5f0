export { connectionReason } from './connection-reason.ts'
export { decodeBody, isDecodingError } from './content-encoding.ts'
export { fetchBy, nodeFetch } from './fetch.ts'
export { type Agents, type Incoming, KEPT, keptAgents, sendRequest } from './http-request.ts'
