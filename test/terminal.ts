import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { ProcessResult } from './processes.ts'

/** Whether util-linux's `script`, which runs programs in a terminal, is installed. */
export const HAS_TERMINALS: boolean = process.platform === 'linux' && existsSync('/usr/bin/script')

interface Place {
  readonly columns: number
  readonly cwd?: string
  readonly env?: Record<string, string | undefined>
}

/** Runs a program to its end in a terminal of `columns`. Both of its outputs are in `stdout`. */
export function inTerminal(
  words: readonly string[],
  { columns, cwd, env }: Place,
): Promise<ProcessResult> {
  const quoted = [process.execPath, ...words].map((word) => `'${word}'`).join(' ')
  const line = `stty cols ${columns} rows 50; exec ${quoted}`
  const unset = { NO_COLOR: undefined, FORCE_COLOR: undefined, CI: undefined }
  const place = {
    cwd,
    env: { ...process.env, ...unset, TERM: 'xterm-256color', ...env },
    maxBuffer: 1e8,
  }
  return new Promise((resolve) => {
    const child = execFile('script', ['-qec', line, '/dev/null'], place, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout: stdout.replaceAll('\r\n', '\n'), stderr }),
    )
    child.stdin?.end()
  })
}
