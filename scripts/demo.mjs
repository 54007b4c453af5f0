// `npm run demo`: installs, builds, and runs a local subnet. Arguments after `--` go to `af demo`.
import { spawnSync } from 'node:child_process'
import { install, packageManager, run } from './pnpm.mjs'

console.log('Installs and builds: at first that takes a minute or two.')
install()
// What turbo says is of no use here, unless it fails.
const building = [
  '-y',
  packageManager,
  'exec',
  'turbo',
  'run',
  'build',
  '--output-logs=errors-only',
]
const shell = process.platform === 'win32'
const { status, stdout, stderr } = spawnSync('npx', building, { encoding: 'utf8', shell })
if (status !== 0) {
  console.error(stdout + stderr)
  process.exit(status ?? 1)
}
run(process.execPath, 'apps/validator/dist/cli.js', 'demo', ...process.argv.slice(2))
