// `npm run demo`: installs, builds, and runs a local subnet. Passes arguments after `--` to `af
// demo`.
import { spawnSync } from 'node:child_process'
import { install, pnpmCommand, run } from './pnpm.mjs'

console.log('Installing and building. The first time takes a minute or two.')
install()
// The output of turbo is only useful if it fails.
const turbo = ['exec', 'turbo', 'run', 'build', '--output-logs=errors-only']
const [program, ...words] = [...pnpmCommand, ...turbo]
const { status, error, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' })
if (status !== 0) {
  console.error(error?.message ?? stdout + stderr)
  process.exit(status ?? 1)
}
run(process.execPath, 'apps/validator/dist/cli.js', 'demo', ...process.argv.slice(2))
