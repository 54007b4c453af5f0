export { claimFolder } from './owner.ts'
export type { Event, Problem, Setup, ValidatorTask } from './setup.ts'
export { Validator } from './validator.ts'
