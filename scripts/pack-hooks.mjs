// What pnpm does to a manifest before it packs it. npm takes a package by trusted publishing only
// if its `repository` is the one whose workflow publishes it. GitHub tells the workflow which that
// is.
import { relative } from 'node:path'

function beforePacking(manifest, folder) {
  const { GITHUB_REPOSITORY: name } = process.env
  if (!name) return manifest
  const url = `git+https://github.com/${name}.git`
  const directory = relative('.', folder)
  return { ...manifest, repository: { type: 'git', url, directory } }
}

export const hooks = { beforePacking }
