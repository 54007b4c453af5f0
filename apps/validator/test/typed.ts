import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { AF } from '../../../test/processes.ts'

const PTY = fileURLToPath(new URL('terminal.py', import.meta.url))

/** Whether `runTyped` can create a terminal. */
export const HAS_PYTHON: boolean = spawnSync('python3', ['-c', 'import pty']).status === 0

/**
 * Runs `af` in a terminal, and types the second text of each step once the first is shown. Resolves
 * with the output and the exit code.
 */
export function runTyped(
  cwd: string,
  words: readonly string[],
  steps: readonly (readonly string[])[],
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const line = [PTY, JSON.stringify(steps), process.execPath, AF, ...words]
  const env = { ...process.env, TERM: 'xterm', CI: '' }
  return new Promise((resolve) => {
    const child = execFile('python3', line, { cwd, env, timeout: 600_000 }, (_, stdout) =>
      resolve({ code: child.exitCode, shown: stripVTControlCharacters(stdout) }),
    )
  })
}
