export { claimFolder } from '../owner.ts'
export { type Health, healthPages, type Late, trackHealth, watchHealth } from './health.ts'
