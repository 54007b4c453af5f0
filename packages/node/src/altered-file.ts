/** The error for a file of this program that was altered. `fault` is the code of the fault. */
export class AlteredFile extends Error {
  readonly code = 'ALTERED_FILE'
  readonly fault: string
  constructor(path: string, fault: string, detail: string) {
    super(`${path}: ${detail}. The file was altered: restore it, or move it elsewhere`)
    this.fault = fault
  }
}
