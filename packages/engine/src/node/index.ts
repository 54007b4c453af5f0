export { claimFolder } from '../validator.ts'
export { type Health, healthPages, type Late, trackHealth, watchHealth } from './health.ts'
