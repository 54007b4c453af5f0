import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { AF } from '../../../test/processes.ts'

const PTY = fileURLToPath(new URL('terminal.py', import.meta.url))

/** Is there what makes a terminal for `typed`? */
export const HAS_PYTHON: boolean = spawnSync('python3', ['-c', 'import pty']).status === 0

/**
 * What a terminal in which `af` runs shows, and its exit code, when a person types the second text
 * of each step once the first is seen.
 */
export function typed(
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
