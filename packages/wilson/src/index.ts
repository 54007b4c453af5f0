export * from './bounds.ts'
export * from './sequential.ts'
export { calibrate, crossing, type End, type Walk, walk } from './walk.ts'
