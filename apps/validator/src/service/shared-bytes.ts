import { stat } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { readRegularFile } from '@affine/chain/file'

/** The most time for one answer: enough for a chain of a day over a slow line. */
const ANSWER_MS = 300_000

const zip = promisify(gzip)

/** Bytes that many clients may get at once, kept in memory once; zipped on first request. */
export class SharedBytes {
  readonly #bytes: Promise<Buffer>
  #zipped: Promise<Buffer> | undefined
  #readers = 0

  constructor(bytes: Promise<Buffer>) {
    this.#bytes = bytes
  }

  /** Is an answer with them under way? */
  get isInUse(): boolean {
    return this.#readers > 0
  }

  /** Counts an answer with them, and ends it if it takes too long. */
  hold(response: ServerResponse): void {
    if (response.destroyed) return
    this.#readers += 1
    const late = setTimeout(() => response.destroy(), ANSWER_MS)
    response.once('close', () => {
      this.#readers -= 1
      clearTimeout(late)
    })
  }

  /** The bytes, or their gzip. Rejects when they could not be read. */
  async read(zipped: boolean): Promise<Buffer> {
    const bytes = await this.#bytes
    if (!zipped) return bytes
    this.#zipped ??= zip(bytes)
    return this.#zipped
  }
}

/**
 * A file that may change while it is served. At most two versions are in memory: while an answer
 * with the older one is under way, no newer version is loaded.
 */
export class SharedFile {
  readonly #path: string
  readonly #limit: number
  #version = ''
  #last: SharedBytes | undefined
  #before: SharedBytes | undefined

  /** A regular file of at most `limit` bytes. */
  constructor(path: string, limit: number) {
    this.#path = path
    this.#limit = limit
  }

  /** What is in the file; undefined when there is no such file, or it cannot be read. */
  async current(): Promise<SharedBytes | undefined> {
    const stats = await stat(this.#path).catch(() => undefined)
    if (stats === undefined) return undefined
    const version = `${stats.size} ${stats.mtimeMs}`
    if (version !== this.#version && !this.#before?.isInUse) this.#load(version)
    return this.#last
  }

  #load(version: string): void {
    const reading = readRegularFile(this.#path, this.#limit).then(({ bytes }) => bytes)
    reading.catch(() => {
      this.#version = '' // it may be readable next time
    })
    this.#before = this.#last
    this.#last = new SharedBytes(reading)
    this.#version = version
  }
}
