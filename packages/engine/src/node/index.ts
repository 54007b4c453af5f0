export { claimFolder } from '../owner.ts'
export { guard, type Health, healthOf, healthPages, type Late } from './health.ts'
