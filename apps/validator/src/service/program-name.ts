import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Program = 'af' | 'af-verify'

/**
 * Returns the file of `af` or `af-verify`, whichever of them is running; undefined if it is not
 * installed. The verifier is another package, installed next to this one or on the PATH.
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
 * Returns the command that starts `af` or `af-verify`: its name, after `npx` if npm started this
 * program. Returns `node` with its file if it is not on the PATH, or if npx fetched this program
 * for one call, as the module URL `from` shows: `npx af` would then fetch an unrelated package.
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
