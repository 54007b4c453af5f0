export type { Examination, OwnSettings, Wording } from './examination.ts'
export { examine } from './examine.ts'
export { type Finding, fail, ok, warn } from './finding.ts'
export { type Seat, seatNow, slotText } from './seat.ts'
