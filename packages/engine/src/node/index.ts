export { type Journal, openJournal } from '../journal.ts'
export {
  type Examination,
  type Finding,
  fail,
  type OwnSettings,
  ok,
  type Wording,
  warn,
} from './examination/examination.ts'
export { examine } from './examination/examine.ts'
export { type Seat, seatNow, slotText } from './examination/seat.ts'
export { holdFile, holdFolder, keepPrivate, OWNERS } from './folder.ts'
export { guard, type Health, healthOf, healthPages } from './health.ts'
