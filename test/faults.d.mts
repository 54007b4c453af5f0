/** A way in which the disk of this process fails: see faults.mjs. */
export interface Way {
  readonly fault: string
  readonly path: string
  readonly op: string
  readonly from?: number
}
/** Makes the disk fail in these ways, and in no others, from now on. */
export function setFaults(ways: readonly Way[]): void
