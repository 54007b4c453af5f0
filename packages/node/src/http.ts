export * from './connection-reason.ts'
export * from './content-encoding.ts'
export * from './fetch.ts'
export * from './http-request.ts'
