// Changes manifests before pnpm packs them. npm's trusted publishing requires that `repository` is
// the repository of the publishing workflow, in which GitHub sets GITHUB_REPOSITORY to its name.
// `gitHead` is the commit that the workflow tags.
import { execFileSync } from 'node:child_process'
import { relative } from 'node:path'

function beforePacking(manifest, folder) {
  const { GITHUB_REPOSITORY: name } = process.env
  if (!name) return manifest
  const url = `git+https://github.com/${name}.git`
  const directory = relative('.', folder)
  const gitHead = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
  return { ...manifest, gitHead, repository: { type: 'git', url, directory } }
}

export const hooks = { beforePacking }
