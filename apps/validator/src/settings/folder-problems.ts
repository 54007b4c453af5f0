import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Given } from './group.ts'

/** The problem if one of the private and the public folder is the other, or is in it. */
export function folderProblems({ folder, buckets }: Given): readonly string[] {
  if (folder === undefined || buckets === undefined) return []
  const [own, open] = [realPath(folder), realPath(buckets)]
  if (!isWithin(own, open) && !isWithin(open, own)) return []
  const why = `one is in the other: secrets are in ${folder}, and everyone can read ${buckets}`
  return [`--folder and --buckets (or AFFINE_FOLDER and AFFINE_BUCKETS): ${why}`]
}

/** An absolute path, without links as far as it exists. */
function realPath(path: string): string {
  const whole = resolve(path)
  try {
    return realpathSync(whole)
  } catch {
    const above = dirname(whole)
    return above === whole ? whole : join(realPath(above), basename(whole))
  }
}

/** Is the path this folder, or below it? Links are not followed. */
export function isWithin(path: string, folder: string): boolean {
  return !/^\.\.(?:\/|$)/.test(relative(folder, path))
}
