export {
  formatStake,
  formatWait,
  type HotkeyFormatter,
  listed,
  nameHotkeysBy,
  percent,
  percentRange,
} from '../text.ts'
export * from './duel-text.ts'
export * from './epoch-text.ts'
export * from './sample-text.ts'
export * from './status-text.ts'
export * from './verification-text.ts'
