import { stat } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { readRegularFile } from '@affine/chain/file'

/** Time for one answer, however slowly it is read: a chain of a day is read over any line. */
const ANSWER_MS = 300_000

const zip = promisify(gzip)

/** Bytes that many are sent at once: in memory once, and their gzip, once it was asked for. */
export class SharedBytes {
  readonly #bytes: Promise<Buffer>
  #zipped: Promise<Buffer> | undefined
  #readers = 0

  constructor(bytes: Promise<Buffer>) {
    this.#bytes = bytes
  }

  /** Is anyone being sent them, or about to be? */
  get isInUse(): boolean {
    return this.#readers > 0
  }

  /** Counts an answer that is to have them, and breaks it off when it takes too long. */
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
 * A file that may be written anew while it is served. In memory are at most two versions of it: as
 * long as anyone is sent the one before the last, the last is given, even if there is a newer.
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
      this.#version = '' // it may be readable the next time
    })
    this.#before = this.#last
    this.#last = new SharedBytes(reading)
    this.#version = version
  }
}
