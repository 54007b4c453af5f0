export { type Journal, openJournal } from '../journal.ts'
export { diskMonitor } from './disk-monitor.ts'
export { holdFile, holdFolder } from './folder-lock.ts'
export { keepPrivate, OWNERS } from './private-folder.ts'
