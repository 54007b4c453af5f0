import { randomBytes } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { ChainError, LocalChain, serveLocal, verifyReady } from '@affine/chain'
import { NODE_HOST } from '../host.ts'

type Serve = ReturnType<typeof serveLocal>

/**
 * A local chain and the file of its export. Every block is synced to the file before anyone hears
 * of it. Nobody else may write to the file.
 */
export class KeptChain implements AsyncDisposable {
  readonly chain: LocalChain
  readonly #file: FileHandle
  readonly #path: string
  readonly #answer: Serve
  /** How many blocks the file has, and its size with them. */
  #count: number
  #size: number
  #saved: Promise<void> = Promise.resolve()

  private constructor(chain: LocalChain, file: FileHandle, path: string) {
    this.chain = chain
    this.#file = file
    this.#path = path
    this.#answer = serveLocal(chain)
    this.#count = chain.height + 1
    this.#size = chain.export().length // all of it is ASCII
  }

  /** Writes a new chain to a new file. */
  static async begin(chain: LocalChain, path: string): Promise<KeptChain> {
    const bytes = new TextEncoder().encode(chain.export())
    await directoryBucket(dirname(path)).write(basename(path), bytes)
    return new KeptChain(chain, await open(path, 'a'), path)
  }

  /**
   * Opens the chain of a file. If its last process was killed, the file may end in the middle of a
   * block's line. Nobody has heard of that block, and it is cut off.
   * @throws Error, as a rejection, if any other block does not match its hash: the file was
   *   altered.
   */
  static async resume(path: string): Promise<KeptChain> {
    const text = await NODE_HOST.readText(path)
    await verifyReady()
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const kept = new KeptChain(importChain(whole, path), await open(path, 'a'), path)
    if (text !== whole) await kept.#write('')
    return kept
  }

  /** Makes the next block, at `time` in milliseconds, and resolves once it is on disk. */
  produce(time: number): Promise<void> {
    const made = this.chain.produce(time)
    this.#saved = made.then(() => this.#save())
    return this.#saved
  }

  /** Answers as `serveLocal` does, once every block in the answer is on disk. */
  readonly serve: Serve = async (request) => {
    const response = await this.#answer(request)
    await this.#saved
    return response
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }

  /** Adds to the file the blocks that it lacks. */
  async #save(): Promise<void> {
    const log = this.chain.export(this.#count)
    const more = log.slice(log.indexOf('\n') + 1)
    await this.#write(more)
    this.#size += more.length
    this.#count = this.chain.height + 1
  }

  /** Writes a text after the blocks of the file, and nothing after that. */
  async #write(text: string): Promise<void> {
    try {
      await this.#file.truncate(this.#size)
      await this.#file.appendFile(text)
      await this.#file.datasync()
    } catch (cause) {
      throw new Error(`cannot write ${this.#path}: ${(cause as Error).message}`, { cause })
    }
  }
}

function importChain(text: string, path: string): LocalChain {
  try {
    return LocalChain.import(text, () => randomBytes(32))
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    const advice = 'put it back, or move its folder away to start anew'
    throw new Error(`${path} was altered (${error.message}): ${advice}`)
  }
}
