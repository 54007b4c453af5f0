// `npm run tarballs`: installs, builds, and packs every public package into the folder `tarballs`,
// or the folder after `--`. With GITHUB_REPOSITORY=<owner>/<name> the manifests name that
// repository.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { install, pnpm } from './pnpm.mjs'

const folder = resolve(process.argv[2] ?? 'tarballs')
mkdirSync(folder, { recursive: true })
install()
// Removes earlier builds, because pnpm would pack their chunks too.
for (const root of ['packages', 'apps'])
  for (const name of readdirSync(root))
    rmSync(join(root, name, 'dist'), { recursive: true, force: true })
pnpm('exec', 'turbo', 'run', 'build', 'types', '--output-logs=errors-only')
// Excludes the private packages, because pnpm would pack them too.
const published = ['--recursive', '--filter', '!@affine/terminal', '--filter', '!@affine/node']
const hooks = '--config.pnpmfile=scripts/pack-hooks.mjs'
pnpm(hooks, ...published, 'pack', '--silent', '--pack-destination', folder)
console.log(`${readdirSync(folder).length} tarballs are in ${folder}`)
