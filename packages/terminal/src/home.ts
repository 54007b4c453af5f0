import { homedir } from 'node:os'

/** Does an option take a path? `usage` shows it, as `--out <folder>`. */
export const takesPath = (usage: string): boolean => /<(?:file|folder|where)\b/.test(usage)

/**
 * A path with the home folder instead of `~`, which no shell expands in `--out=~/x`, in a file of
 * settings or in a unit of systemd.
 * @throws RangeError, which calls the path `name`, for `~bob`, the home of another user.
 */
export function wholePath(path: string, name: string): string {
  if (!path.startsWith('~')) return path
  if (/^~(?:\/|$)/.test(path)) return homedir() + path.slice(1)
  const ways = 'a whole path, or one that begins with "~/" or "./"'
  throw new RangeError(`"${name}" expected ${ways}, got ${JSON.stringify(path)}`)
}
