export { calibrate } from './calibrate.ts'
export { interval } from './interval.ts'
export { normalQuantile } from './quantile.ts'
export {
  type Bar,
  type Contest,
  lowerReaches,
  type Rule,
  type Tally,
  upperBelow,
  type Verdict,
  verdict,
} from './sequential.ts'
export { crossing, type End, type Walk, walk } from './walk.ts'
