export { type Journal, openJournal } from '../journal.ts'
export { holdFile, holdFolder, OWNERS } from './folder.ts'
export { guard, type Health, healthOf, healthPages } from './health.ts'
