import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The mode of files that nobody but their owner may read. */
export const OWNERS = 0o600

/** The secret parts of a validator's folder. All other files were published before. */
const SECRET = ['journal', 'secrets']

/**
 * Makes an existing folder, and the secrets in it, readable by their owner only. Returns warnings
 * about what others could read until now, or still can because another user owns it.
 */
export async function keepPrivate(folder: string): Promise<readonly string[]> {
  const said = await narrow(folder, 0o700)
  for (const name of SECRET) {
    const place = join(folder, name)
    const files = await readdir(place).catch(() => [])
    const texts = await Promise.all(files.map((file) => narrow(join(place, file), OWNERS)))
    said.push(...(await narrow(place, 0o700)), ...texts.flat())
  }
  return said
}

/** Removes the permissions of a file or folder, if it exists, that `mode` does not have. */
async function narrow(path: string, mode: number): Promise<string[]> {
  const found = await lstat(path).catch(() => null)
  // A link may point to a file that is not ours.
  const isOurs = found?.isFile() || found?.isDirectory()
  if (!found || !isOurs || (found.mode & 0o777 & ~mode) === 0) return []
  const was = `${path} could be read by others on this machine`
  try {
    await chmod(path, found.mode & mode)
    return [`${was}: no longer`]
  } catch {
    return [`${path} can be read by others on this machine: chmod ${mode.toString(8)} ${path}`]
  }
}
