import { randomBytes } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { ChainError, LocalChain, serveLocal } from '@affine/chain'
import { NODE_HOST } from '../host.ts'

type Serve = ReturnType<typeof serveLocal>

/** What follows the last block in a chain's export. */
const END = ']}'
/** An export up to its last whole block. */
const WHOLE = /^.*"hash":"[0-9a-f]{64}"\}/s

/**
 * A local chain and the file of its export. Every block is synced to the file before anyone hears
 * of it. Nobody else may write to the file.
 */
export class KeptChain implements AsyncDisposable {
  readonly chain: LocalChain
  readonly #file: FileHandle
  readonly #path: string
  readonly #answer: Serve
  /**
   * The size of the part of the file that stays when a block is added, and how many blocks it has.
   */
  #size: number
  #count: number
  #saved: Promise<void> = Promise.resolve()

  private constructor(chain: LocalChain, file: FileHandle, path: string) {
    this.chain = chain
    this.#file = file
    this.#path = path
    this.#answer = serveLocal(chain)
    this.#size = chain.export().length - END.length // all of it is ASCII
    this.#count = chain.height + 1
  }

  /** Writes a new chain to a new file. */
  static async begin(chain: LocalChain, path: string): Promise<KeptChain> {
    const bytes = new TextEncoder().encode(chain.export())
    await directoryBucket(dirname(path)).write(basename(path), bytes)
    return new KeptChain(chain, await open(path, 'a'), path)
  }

  /**
   * Opens the chain of a file. If its last process was killed, the file may end in the middle of a
   * block. Nobody has heard of that block, and it is cut off.
   * @throws Error, as a rejection, if any other block does not match its hash: the file was
   *   altered.
   */
  static async resume(path: string): Promise<KeptChain> {
    const text = await NODE_HOST.readText(path)
    const [whole = ''] = WHOLE.exec(text) ?? []
    const chain = importChain(`${whole}${END}`, path)
    const kept = new KeptChain(chain, await open(path, 'a'), path)
    if (text !== `${whole}${END}`) await kept.#write(END)
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
    const { chain } = this
    const head = chain.export(chain.height + 1).length - END.length
    const more = `,${chain.export(this.#count).slice(head)}`
    await this.#write(more)
    this.#size += more.length - END.length
    this.#count = chain.height + 1
  }

  /** Replaces the end of the file with a text. */
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
