import { randomBytes } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { directoryBucket } from '@affine/blocks/directory'
import { ChainError, LocalChain, serveLocal, verifyReady } from '@affine/chain'
import { AppendOnlyFile } from '@affine/node/disk'
import { NODE_HOST } from '../host.ts'

type Serve = ReturnType<typeof serveLocal>

/**
 * A local chain and the file of its export. Every block is synced to the file before anyone can
 * read it. Only this process may write to the file.
 */
export class KeptChain implements AsyncDisposable {
  readonly chain: LocalChain
  readonly #file: AppendOnlyFile
  readonly #answer: Serve
  /** Number of blocks in the file. */
  #count: number
  #saved: Promise<void> = Promise.resolve()

  private constructor(chain: LocalChain, file: AppendOnlyFile) {
    this.chain = chain
    this.#file = file
    this.#answer = serveLocal(chain)
    this.#count = chain.height + 1
  }

  /** Writes a new chain to a new file. */
  static async begin(chain: LocalChain, path: string): Promise<KeptChain> {
    const bytes = new TextEncoder().encode(chain.export())
    await directoryBucket(dirname(path)).write(basename(path), bytes)
    return new KeptChain(chain, await AppendOnlyFile.open(path, bytes.length))
  }

  /**
   * Opens the chain in a file. If its last process was killed, the file may end within a block's
   * line. No one has read that block, and it is removed.
   * @throws Error, as a rejection, if any other block does not match its hash: the file was
   *   altered.
   */
  static async resume(path: string): Promise<KeptChain> {
    const text = await NODE_HOST.readText(path)
    await verifyReady()
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const chain = importChain(whole, path)
    return new KeptChain(chain, await AppendOnlyFile.open(path, Buffer.byteLength(whole)))
  }

  /** Produces the next block at `time` in milliseconds. Resolves once it is on disk. */
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
    await this.#file[Symbol.asyncDispose]()
  }

  /** Appends the missing blocks to the file. */
  async #save(): Promise<void> {
    const log = this.chain.export(this.#count)
    await this.#file.append(log.slice(log.indexOf('\n') + 1))
    this.#count = this.chain.height + 1
  }
}

function importChain(text: string, path: string): LocalChain {
  try {
    return LocalChain.import(text, () => randomBytes(32))
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    const advice = 'restore it, or move its folder away to start from scratch'
    throw new Error(`${path} was altered (${error.message}): ${advice}`)
  }
}
