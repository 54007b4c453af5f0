import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onceARun } from './once-a-run.ts'

const programs = await onceARun('programs', async (folder) => {
  const { bundlePrograms } = await import('./programs.ts')
  await bundlePrograms(folder)
})
export const AF: string = join(programs, 'af.js')
export const AF_VERIFY: string = join(programs, 'af-verify.js')

/** What a process came to: `code` is null when a signal killed it. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A process under way. */
export interface Started {
  readonly child: ChildProcess
  /** All it has written to its standard output so far. */
  stdout(): string
  /**
   * Resolves with the output's first match, of what comes after its first `from` characters;
   * rejects with all the output if the process ends without one.
   */
  says(pattern: RegExp, from?: number): Promise<RegExpExecArray>
  /** Sends SIGINT, or another signal, and resolves when the process is gone. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
  readonly ended: Promise<Ended>
}

interface Place {
  readonly cwd?: string
  readonly env?: Record<string, string>
}

/** Without the settings and the proxies of whoever runs the tests. */
const INHERITED = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^AFFINE_|_proxy$/i.test(name)),
)

/** What a program says where the machine is slow. */
const WAITS = /^waiting for .*: no answer yet\n/m

const running = new Set<ChildProcess>()

/** Starts a program, or another TypeScript file. */
export function start(
  program: string,
  words: readonly string[],
  { cwd, env }: Place = {},
): Started {
  const loader = program.endsWith('.ts')
    ? ['--conditions=@affine/source', '--import', import.meta.resolve('tsx')]
    : []
  const child = spawn(process.execPath, [...loader, program, ...words], {
    cwd,
    env: { ...INHERITED, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code]): Ended => {
    running.delete(child)
    return { code, stdout, stderr: stderr.replace(WAITS, '') }
  })
  const says = (pattern: RegExp, from = 0): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(stdout.slice(from))
        if (match !== null) resolve(match)
      }
      child.stdout.on('data', look)
      ended.then(({ code }) =>
        reject(new Error(`ended with ${code} before ${pattern}:\n${stdout}${stderr}`)),
      )
      look()
    })
  const stop = (signal: NodeJS.Signals = 'SIGINT'): Promise<Ended> => {
    child.kill(signal)
    return ended
  }
  return { child, stdout: () => stdout, says, stop, ended }
}

/** Runs a program to its end. */
export function run(program: string, words: readonly string[], place?: Place): Promise<Ended> {
  return start(program, words, place).ended
}

/** For `afterAll`: no process outlives its test, whatever failed. */
export async function killAll(): Promise<void> {
  for (const child of running) child.kill('SIGKILL')
  await Promise.all([...running].map((child) => once(child, 'close')))
}
