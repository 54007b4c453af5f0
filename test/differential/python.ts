import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { LIMITS } from '../../packages/blocks/src/index.ts'

const SCRIPT = fileURLToPath(new URL('../../python/tests/differential.py', import.meta.url))

/**
 * A process of python/tests/differential.py, which answers one case at a time. It limits the
 * samples of a block like this process.
 */
export class Python implements AsyncDisposable {
  readonly #child = spawn(
    process.env.TEST_PYTHON ?? 'python3',
    [SCRIPT, `${LIMITS.blockSamples}`],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  readonly #closed = once(this.#child, 'close')
  readonly #lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()

  /** Resolves with what the verifier in Python finds in a case. */
  async ask(kind: string, given: object): Promise<unknown> {
    this.#child.stdin.write(`${JSON.stringify({ kind, ...given })}\n`)
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`the Python of TEST_PYTHON ended in a case of ${kind}`)
    return JSON.parse(value)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end()
    await this.#closed
  }
}
