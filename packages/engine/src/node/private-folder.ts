import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The mode of files that nobody but their owner may read. */
export const OWNERS = 0o600

/** Where a validator's folder has what it must not tell: what is elsewhere was published before. */
const SECRET = ['journal', 'secrets', 'weights']

/**
 * Takes a folder that is there, and what is secret in it, from all but its owner. Says what others
 * could read until now, or still can, where it is another user's.
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

/** Takes from a file or folder, if one is there, the permissions that `mode` has not. */
async function narrow(path: string, mode: number): Promise<string[]> {
  const found = await lstat(path).catch(() => null)
  // The target of a link is not ours.
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
