import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const { packageManager } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

/** Tools shall print what is wrong, but no news about themselves. */
Object.assign(process.env, {
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  NO_UPDATE_NOTIFIER: '1',
})

/**
 * Runs the pinned pnpm, which npx fetches if it is not installed. Ends this process if it fails.
 */
export function pnpm(...words) {
  run('npx', '-y', packageManager, ...words)
}

/** Runs a program with this terminal. Ends this process, with its exit code, if it fails. */
export function run(program, ...words) {
  const { status, error } = spawnSync(program, words, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error) console.error(`cannot run ${program}: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

/** Installs what the lockfile names. */
export function install() {
  pnpm('install', '--frozen-lockfile', '--reporter=append-only', '--loglevel=error')
}
