import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const { packageManager } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

/** These variables let tools print problems, but no news about themselves. */
Object.assign(process.env, {
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  NO_UPDATE_NOTIFIER: '1',
})
// `npx -p` and `npx -c` set these variables, which would make our npx run another package or
// command.
delete process.env.npm_config_package
delete process.env.npm_config_call

/**
 * Returns the command that starts npx without a shell, which would split paths at spaces. On
 * Windows `npx` needs a shell, so Node runs npm's file. npm gives its path to its scripts, and
 * Node's installer puts npm next to Node.
 */
function npxCommand() {
  const { npm_execpath: npm = '' } = process.env
  if (basename(npm) === 'npm-cli.js') return [process.execPath, join(dirname(npm), 'npx-cli.js')]
  if (process.platform !== 'win32') return ['npx']
  const installed = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npx-cli.js')
  return [process.execPath, installed]
}

/** The command of the pinned pnpm, which npx fetches if it is missing. */
export const pnpmCommand = [...npxCommand(), '-y', packageManager]

/** Runs the pinned pnpm. Ends this process if it fails. */
export function pnpm(...words) {
  run(...pnpmCommand, ...words)
}

/** Runs a program in this terminal. If it fails, ends this process with its exit code. */
export function run(program, ...words) {
  const { status, error } = spawnSync(program, words, { stdio: 'inherit' })
  if (error) console.error(`cannot run ${program}: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

export function install() {
  pnpm('install', '--frozen-lockfile', '--reporter=append-only', '--loglevel=error')
}
