import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onceARun } from './once-a-run.ts'
import { dropWaits } from './words.ts'

const programs = await onceARun('programs', async (folder) => {
  const { bundlePrograms } = await import('./programs.ts')
  await bundlePrograms(folder)
})
export const AF: string = join(programs, 'af.js')
export const AF_VERIFY: string = join(programs, 'af-verify.js')

/** The result of a process. `code` is null if a signal killed it. */
export interface ProcessResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export type RunningProcess = ReturnType<typeof startCommand>

interface Place {
  readonly cwd?: string
  readonly env?: Record<string, string>
}

/** The environment without our settings and without proxies. */
const INHERITED = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^AFFINE_|_proxy$/i.test(name)),
)

const running = new Set<ChildProcess>()

/** Starts a program or a TypeScript file. */
export function start(
  program: string,
  words: readonly string[],
  { cwd, env }: Place = {},
): RunningProcess {
  const loader = program.endsWith('.ts')
    ? ['--conditions=@affine/source', '--import', import.meta.resolve('tsx')]
    : []
  const all = [...loader, program, ...words]
  return startCommand(process.execPath, all, { cwd, env: { ...INHERITED, NO_COLOR: '1', ...env } })
}

/** Starts a command without standard input. */
export function startCommand(
  command: string,
  words: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'detached'>,
) {
  const child = spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code]): ProcessResult => {
    running.delete(child)
    return { code, stdout, stderr: dropWaits(stderr) }
  })
  /**
   * Resolves with the first match in the standard output after its first `from` characters. Rejects
   * with all output if the process ends without a match.
   */
  const says = (pattern: RegExp, from = 0): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const match = pattern.exec(stdout.slice(from))
        if (match !== null) resolve(match)
      }
      child.stdout.on('data', check)
      ended.then(({ code }) =>
        reject(new Error(`ended with ${code} before ${pattern}:\n${stdout}${stderr}`)),
      )
      check()
    })
  /** Sends a signal. Resolves when the process has ended. */
  const stop = (signal: NodeJS.Signals = 'SIGINT'): Promise<ProcessResult> => {
    child.kill(signal)
    return ended
  }
  return { child, stdout: () => stdout, says, stop, ended }
}

/** Runs a program to its end. */
export function run(
  program: string,
  words: readonly string[],
  place?: Place,
): Promise<ProcessResult> {
  return start(program, words, place).ended
}

/** Kills all running processes. For `afterAll`, so that no process outlives its test. */
export async function killAll(): Promise<void> {
  for (const child of running) child.kill('SIGKILL')
  await Promise.all([...running].map((child) => once(child, 'close')))
}
