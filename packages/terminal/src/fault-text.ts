/** What the system says of a path, in words. */
const SENTENCES = new Map([
  ['ENOENT', 'is not there: is it written right?'],
  ['ENOTDIR', 'is a file or lies below one, where a folder is expected'],
  ['EISDIR', 'is a folder, where a file is expected'],
  ['EACCES', 'is closed to this user: whose is it?'],
  ['EPERM', 'is closed to this user: whose is it?'],
  ['EROFS', 'is on a disk that takes no writes'],
  ['EDQUOT', 'is on a disk whose quota is used up'],
  ['EIO', 'is on a disk that fails'],
  ['ENOSPC', 'is on a disk that is full'],
])

/** What comes of a disk, not of a path. */
const DISK = new Set(['EROFS', 'EDQUOT', 'EIO', 'ENOSPC'])

/** What went wrong in a sentence for people, where it is the system that refuses a path. */
export function faultText({ code = '', path, syscall, message }: NodeJS.ErrnoException): string {
  if (syscall === 'mkdir' && code === 'EEXIST')
    return `${path} is a file, where a folder is expected`
  const sentence = SENTENCES.get(code)
  if (sentence === undefined) return message
  // What fails while an open file is written does not say which.
  if (path === undefined) return DISK.has(code) ? `a file ${sentence}: ${message}` : message
  if (syscall === 'mkdir' && code === 'ENOENT') return `no folder can be made at ${path}`
  return `${path} ${sentence}`
}
