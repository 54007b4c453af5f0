import { Stopped } from '@affine/miners'
import type { Setup } from './setup.ts'

/** Work in the background. Only one task of each name runs at a time. */
export class Tasks {
  readonly #on: Setup['on']
  readonly #running = new Map<string, Promise<void>>()

  constructor(on: Setup['on']) {
    this.#on = on
  }

  /**
   * Starts a task, unless one of that name is still running. Resolves when that task has ended; a
   * failure is reported as an event.
   */
  start(name: string, task: () => Promise<void>): Promise<void> {
    const running = this.#running.get(name) ?? this.#run(name, task)
    this.#running.set(name, running)
    return running
  }

  /** Resolves when no task is under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  async #run(name: string, task: () => Promise<void>): Promise<void> {
    try {
      await task()
    } catch (error) {
      const isStopped = error instanceof Stopped
      if (!isStopped) this.#on({ type: 'problem', what: name, error: error as Error })
    }
    this.#running.delete(name)
    this.#on({ type: 'ended', what: name })
  }
}
