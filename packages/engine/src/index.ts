export { allWeightTo } from './epoch.ts'
export { bytesText, type Loads, loadsOf } from './load.ts'
export type { Event, Problem, Setup, ValidatorTask } from './setup.ts'
export { Validator } from './validator.ts'
