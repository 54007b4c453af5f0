/** What the system says of a path, in words. */
const SENTENCES = new Map([
  ['ENOENT', 'is not there: is it written right?'],
  ['ENOTDIR', 'is a file or lies below one, where a folder is expected'],
  ['EISDIR', 'is a folder, where a file is expected'],
  ['EACCES', 'is closed to this user: whose is it?'],
  ['EPERM', 'is closed to this user: whose is it?'],
  ['EROFS', 'is on a disk that takes no writes'],
  ['ENOSPC', 'is on a disk that is full'],
])

/** What went wrong in a sentence for people, where it is the system that refuses a path. */
export function faultText({ code = '', path, syscall, message }: NodeJS.ErrnoException): string {
  if (syscall === 'mkdir' && code === 'EEXIST')
    return `${path} is a file, where a folder is expected`
  const sentence = SENTENCES.get(code)
  if (path === undefined || sentence === undefined) return message
  if (syscall === 'mkdir' && code === 'ENOENT') return `no folder can be made at ${path}`
  return `${path} ${sentence}`
}
