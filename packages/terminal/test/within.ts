import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { vi } from 'vitest'
import { perform, type RunOptions } from '../src/index.ts'

/** What was written, and the exit code. */
interface Written {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** What `work` writes to the two outputs, with the exit code that it sets. */
export async function written(work: () => Promise<unknown>): Promise<Written> {
  const before = new Set(SIGNALS.flatMap((name) => process.listeners(name)))
  const said = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += text
      return true
    }),
  )
  try {
    await work()
    return { ...said, code: Number(process.exitCode ?? 0) }
  } finally {
    for (const spy of spies) spy.mockRestore()
    process.exitCode = undefined
    for (const name of SIGNALS)
      for (const listener of process.listeners(name))
        if (!before.has(listener)) process.removeListener(name, listener)
  }
}

/** Runs a program in this process; `run` of processes.ts starts one. Not two at once. */
export function within(
  program: CommandUnknownOpts,
  words: readonly string[],
  options?: RunOptions,
): Promise<Written> {
  return written(async () => {
    process.exitCode = await perform(program, ['node', program.name(), ...words], options)
  })
}
