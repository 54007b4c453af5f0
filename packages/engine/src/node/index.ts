export { claimFolder } from '../owner.ts'
export { guard, type Health, healthOf, healthPages } from './health.ts'
