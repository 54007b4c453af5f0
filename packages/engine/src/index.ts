export { type Health, healthPages, type Late, trackHealth, watchHealth } from './node/health.ts'
export { claimFolder } from './owner.ts'
export type { Event, Problem, Setup, ValidatorTask } from './setup.ts'
export { Validator } from './validator.ts'
