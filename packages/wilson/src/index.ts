export * from './bounds.ts'
export { calibrate } from './calibrate.ts'
export * from './sequential.ts'
export { crossing, type End, type Walk, walk } from './walk.ts'
