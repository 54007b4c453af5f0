import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Program = 'af' | 'af-verify'

/**
 * Returns the file of one of our programs, independent of the running program; undefined if it is
 * not installed. The verifier is another package, installed next to this one or on the PATH.
 */
export function findProgramFile(name: Program): string | undefined {
  try {
    if (name === 'af') return fileURLToPath(import.meta.resolve('@affine/validator/cli'))
    return fileURLToPath(import.meta.resolve('@affine/verifier/cli'))
  } catch {
    return findOnPath(name, process.env)
  }
}

function findOnPath(name: string, { PATH }: typeof process.env): string | undefined {
  const files = PATH?.split(delimiter).map((folder) => join(folder, name)) ?? []
  return files.find((file) => existsSync(file))
}

/**
 * Returns the command that starts one of our programs: its name, after `npx` if npm started this
 * program. If the named program is not on the PATH, returns `node` with its file; likewise if npx
 * fetched this program for one call, as the module URL `from` shows, because npx would then fetch
 * an unrelated package.
 */
export function getCommandName(
  name: Program,
  env: typeof process.env = process.env,
  from: string = import.meta.url,
): string {
  const isFound = findOnPath(name, env) !== undefined
  const file = findProgramFile(name)
  if (file !== undefined && (!isFound || from.includes('/_npx/'))) return `node ${file}`
  return env.npm_command === undefined ? name : `npx ${name}`
}
