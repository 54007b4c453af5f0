export {
  type Bounded,
  boundsPpm,
  ceilRoot,
  hopelessUpTo,
  intervalOf,
  leastAbove,
} from './bounds.ts'
export { calibrate } from './calibrate.ts'
export type { Bar, Contest, Look, Proportion, Rule, WinRule } from './sequential.ts'
export { isHopeless, lookAt, lowerReaches, PPM, upperBelow } from './sequential.ts'
export { crossing, type End, type Walk, walk } from './walk.ts'
