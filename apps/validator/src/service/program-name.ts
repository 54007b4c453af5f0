import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FILES = {
  af: (): string => process.argv[1] ?? '',
  'af-verify': (): string => fileURLToPath(import.meta.resolve('@affine/verifier/cli')),
}

/** The file of one of our programs. */
export const programFile = (name: keyof typeof FILES): string => FILES[name]()

/**
 * How a person starts one of our programs where this one was started: by its name, with npx if npm
 * has started this one; by its file where no folder of the path has it. npm forgets what it has
 * fetched for one call, as `from`, the URL of a module, says: npx would fetch somebody else's
 * package then.
 */
export function programName(
  name: keyof typeof FILES,
  env: typeof process.env = process.env,
  from: string = import.meta.url,
): string {
  const folders = env.PATH?.split(delimiter) ?? []
  const isFound = folders.some((folder) => existsSync(join(folder, name)))
  if (!isFound || from.includes('/_npx/')) return `node ${programFile(name)}`
  return env.npm_command === undefined ? name : `npx ${name}`
}
