import { type FileHandle, open, truncate } from 'node:fs/promises'

/**
 * A file that only grows, open until it is disposed of. Texts that arrive during a write are
 * written together after it. A write that fails loses only its own texts: they are cut off before
 * any other is written.
 */
export class AppendOnlyFile implements AsyncDisposable {
  readonly #file: FileHandle
  readonly #path: string
  /** The size of the file up to the last acknowledged text. */
  #size: number
  /** Whether something may follow it. */
  #isTorn = false
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
      // A crash may have come between the writing of these bytes and their sync.
      await file.datasync().catch(unwritable(path))
    } catch (error) {
      await file.close()
      throw error
    }
    return new AppendOnlyFile(file, path, size)
  }

  /** Resolves once `text` is on disk. */
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
      if (this.#isTorn) await this.#cut()
      this.#isTorn = true
      await this.#file.appendFile(batch)
      await this.#file.datasync()
      this.#size += Buffer.byteLength(batch)
      this.#isTorn = false
    } catch (cause) {
      // These texts were not acknowledged, but could be read although they may not be on disk.
      await this.#cut().catch(() => {})
      unwritable(this.#path)(cause as Error)
    }
  }

  async #cut(): Promise<void> {
    await this.#file.truncate(this.#size)
    this.#isTorn = false
  }
}

/** Throws an error that names the file: the system's error for an open file does not. */
export const unwritable =
  (path: string) =>
  (cause: Error): never => {
    throw new Error(`cannot write ${path}: ${cause.message}`, { cause })
  }
