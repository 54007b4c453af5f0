import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { vi } from 'vitest'
import { dropWaits } from '../../../test/words.ts'
import { perform } from '../src/index.ts'

/** The output and the exit code. */
export interface Written {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Resolves with the output of `work`, and the exit code that it sets. */
export async function captureOutput(work: () => Promise<unknown>): Promise<Written> {
  const before = new Set(SIGNALS.flatMap((name) => process.listeners(name)))
  const output = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      output[name] += text
      return true
    }),
  )
  try {
    await work()
    return { ...output, code: Number(process.exitCode ?? 0) }
  } finally {
    for (const spy of spies) spy.mockRestore()
    process.exitCode = undefined
    for (const name of SIGNALS)
      for (const listener of process.listeners(name))
        if (!before.has(listener)) process.removeListener(name, listener)
  }
}

/** The working folder of a program, and its variables. */
export interface Place {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a program in this process; `run` of processes.ts starts a process. The program has no
 * `AFFINE_` variable and no proxy of the person who runs the tests. Programs run one at a time.
 */
export function within(
  program: CommandUnknownOpts,
  words: readonly string[],
  { cwd = process.cwd(), env = {} }: Place = {},
): Promise<Written> {
  const line = ['node', `${program.name()}.js`, ...words]
  const ended = last.then(async () => {
    using _ = changePlace({ cwd, env })
    const { stderr, ...result } = await captureOutput(async () => {
      process.argv = [...line]
      const code = await perform(program, line)
      if (code !== undefined) process.exitCode = code
    })
    return { ...result, stderr: dropWaits(stderr) }
  })
  last = ended.catch(() => {})
  return ended
}

/** Changes the place of this process until the result is disposed of. */
function changePlace({ cwd, env }: Required<Place>): Disposable {
  const before = { cwd: process.cwd(), env: { ...process.env }, argv: process.argv }
  const isTheirs = (name: string): boolean => /^AFFINE_|_proxy$/i.test(name)
  const setEnv = (variables: NodeJS.ProcessEnv): void => {
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, variables)
  }
  const own = Object.entries(before.env).filter(([name]) => !isTheirs(name))
  setEnv({ ...Object.fromEntries(own), ...env })
  process.chdir(cwd)
  return {
    [Symbol.dispose]() {
      process.chdir(before.cwd)
      setEnv(before.env)
      process.argv = before.argv
    },
  }
}
