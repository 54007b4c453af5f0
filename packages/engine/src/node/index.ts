export { AlteredFile, type Journal, openJournal } from '../journal.ts'
export { claimFolder } from '../owner.ts'
export { holdFile, holdFolder, OWNERS } from './folder.ts'
export { guard, type Health, healthOf, healthPages, type Late } from './health.ts'
