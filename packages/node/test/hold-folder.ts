// Locks folders, 20 ms apart, prints which it locked and the errors for the others, and keeps the
// locks until it is killed. Arguments: the Unix time in milliseconds at which to lock the first
// folder, then the folders.
import { setTimeout as sleep } from 'node:timers/promises'
import { lockFolder } from '../src/folder-lock.ts'

const [when = '0', ...folders] = process.argv.slice(2)
const held: string[] = []
const refused: string[] = []
for (const [i, folder] of folders.entries()) {
  const time = Number(when) + 20 * i
  await sleep(time - Date.now() - 3)
  while (Date.now() < time) {}
  await lockFolder(folder).then(
    () => held.push(folder),
    (error: Error) => refused.push(error.message),
  )
}
process.stdout.write(`${JSON.stringify({ held, refused })}\n`)
setInterval(() => {}, 1000)
