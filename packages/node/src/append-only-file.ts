import { type FileHandle, open, truncate } from 'node:fs/promises'

/**
 * An append-only file, open until it is disposed of. Texts that arrive during a write are written
 * together after it. A failed write loses only its texts, which are cut off before the next write.
 */
export class AppendOnlyFile implements AsyncDisposable {
  readonly #file: FileHandle
  readonly #path: string
  /** Size in bytes up to the last acknowledged text. */
  #size: number
  #waiting = ''
  #flushed: Promise<void> = Promise.resolve()

  private constructor(file: FileHandle, path: string, size: number) {
    this.#file = file
    this.#path = path
    this.#size = size
  }

  /** Opens an existing file, cuts it off after `size` bytes, and syncs it. */
  static async open(path: string, size: number): Promise<AppendOnlyFile> {
    await truncate(path, size)
    const file = await open(path, 'a')
    try {
      // A crash may have prevented the sync of these bytes.
      await file.datasync().catch(throwUnwritable(path))
    } catch (error) {
      await file.close()
      throw error
    }
    return new AppendOnlyFile(file, path, size)
  }

  /** Appends `text`. Resolves when it is on disk. */
  append(text: string): Promise<void> {
    if (this.#waiting === '')
      this.#flushed = this.#flushed.catch(() => {}).then(() => this.#flush())
    this.#waiting += text
    return this.#flushed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file.close()
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = ''
    try {
      // An earlier write that failed may have left bytes.
      await this.#file.truncate(this.#size)
      await this.#file.appendFile(batch)
      await this.#file.datasync()
      this.#size += Buffer.byteLength(batch)
    } catch (cause) {
      // Readers must not see texts that were not acknowledged.
      await this.#file.truncate(this.#size).catch(() => {})
      throwUnwritable(this.#path)(cause as Error)
    }
  }
}

/** Returns a function that throws an error with the path, which an open file's error lacks. */
export const throwUnwritable =
  (path: string) =>
  (cause: Error): never => {
    throw new Error(`cannot write ${path}: ${cause.message}`, { cause })
  }
