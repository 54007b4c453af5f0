import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Program = 'af' | 'af-verify'

/**
 * Returns the file of one of our programs, whatever program runs this; undefined where it is not
 * installed. The verifier is another package: installed beside this one, or on the PATH.
 */
export function programFile(name: Program): string | undefined {
  try {
    if (name === 'af') return fileURLToPath(import.meta.resolve('@affine/validator/cli'))
    return fileURLToPath(import.meta.resolve('@affine/verifier/cli'))
  } catch {
    return fileOnPath(name, process.env)
  }
}

function fileOnPath(name: string, { PATH }: typeof process.env): string | undefined {
  const files = PATH?.split(delimiter).map((folder) => join(folder, name)) ?? []
  return files.find((file) => existsSync(file))
}

/**
 * How a person starts one of our programs from here: by its name; with npx if npm has started this
 * program; by its file if it is not on the PATH. If npx has fetched this program for one call, as
 * the module URL `from` shows, also by its file: npx would fetch an unrelated package.
 */
export function programName(
  name: Program,
  env: typeof process.env = process.env,
  from: string = import.meta.url,
): string {
  const isFound = fileOnPath(name, env) !== undefined
  const file = programFile(name)
  if (file !== undefined && (!isFound || from.includes('/_npx/'))) return `node ${file}`
  return env.npm_command === undefined ? name : `npx ${name}`
}
