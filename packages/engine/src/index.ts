export { allWeightTo } from './epoch.ts'
export type { Event, Setup } from './setup.ts'
export { Validator } from './validator.ts'
