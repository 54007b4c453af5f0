export { allWeightTo } from './epoch.ts'
export { bytesText, type Loads, loadsOf } from './load.ts'
export type { Event, Problem, Setup, Task } from './setup.ts'
export { Validator } from './validator.ts'
