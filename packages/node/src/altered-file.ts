/** A file of the validator's own that was altered. `fault` is the code of what is wrong with it. */
export class AlteredFile extends Error {
  readonly code = 'ALTERED_FILE'
  readonly fault: string
  constructor(path: string, fault: string, detail: string) {
    super(`${path}: ${detail}. The file was altered: restore it, or move it away`)
    this.fault = fault
  }
}
