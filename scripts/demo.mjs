// `npm run demo`: installs, builds, and runs a local subnet. Passes arguments after `--` to `af
// demo`.
import { spawnSync } from 'node:child_process'
import { pnpmCommand, run } from './pnpm.mjs'

console.log('Installing and building. The first time takes a minute or two.')
// One process installs, if anything changed, and builds. Its output is printed only if it fails.
const turbo = ['exec', 'turbo', 'run', 'build', '--output-logs=errors-only']
const options = ['--config.verify-deps-before-run=install', '--loglevel=error']
const [program, ...words] = [...pnpmCommand, ...options, ...turbo]
const { status, error, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' })
if (status !== 0) {
  console.error(error?.message ?? stdout + stderr)
  process.exit(status ?? 1)
}
run(process.execPath, 'apps/validator/dist/cli.js', 'demo', ...process.argv.slice(2))
