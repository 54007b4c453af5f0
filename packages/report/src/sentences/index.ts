export { percent, percentRange } from '../text.ts'
export * from './duel-text.ts'
export * from './epoch-text.ts'
export * from './sample-text.ts'
