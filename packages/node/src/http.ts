export { describeConnectionFailure } from './connection-reason.ts'
export { decodeBody, isDecodingError } from './content-encoding.ts'
export { fetchBy, nodeFetch } from './fetch.ts'
export {
  AGENT_OPTIONS,
  type Agents,
  createAgents,
  type IncomingResponse,
  sendRequest,
} from './http-request.ts'
