// `npm run demo`: installs, builds, and runs a local subnet. Arguments after `--` go to `af demo`.
import { install, pnpm, run } from './pnpm.mjs'

install()
pnpm('exec', 'turbo', 'run', 'build', '--output-logs=errors-only', '--log-order=grouped')
run(process.execPath, 'apps/validator/dist/cli.js', 'demo', ...process.argv.slice(2))
