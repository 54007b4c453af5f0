/** A way in which the disk of this process fails: see faults.mjs. */
export interface Way {
  readonly fault: string
  readonly path: string
  readonly op: string
  readonly from?: number
}
/** From now on the disk fails in these ways, and in no others. */
export function setFaults(ways: readonly Way[]): void
