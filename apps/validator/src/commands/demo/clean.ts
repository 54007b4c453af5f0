import { createInterface } from 'node:readline/promises'
import { type Output, raceAbort } from '@affine/terminal'
import { programName } from '../../service/program-name.ts'
import { type Leftover, leftovers, remove } from './leftovers.ts'

/** Shows what earlier demos left, and removes it: if that is `agreed`, or a person says so. */
export async function clean(screen: Output, agreed: boolean, signal: AbortSignal): Promise<void> {
  const found = await leftovers()
  for (const { folder, bytes } of found)
    screen.line(`${folder}  ${megabytes(bytes)}`, { type: 'leftover', folder, bytes })
  const folders = found.length
  if (folders === 0) return screen.line('No earlier demo left anything.', { type: 'kept', folders })
  if (agreed || (await raceAbort(isAgreed(found), signal))) {
    await remove(found)
    return screen.line(`Removed: ${sumText(found)}.`, { type: 'removed', folders })
  }
  screen.line('Nothing was removed; with --yes it is, unasked.', { type: 'kept', folders })
}

/** What a demo says of those before it; nothing if there are none. */
export async function sayLeftovers(screen: Output): Promise<void> {
  const found = await leftovers()
  if (found.length === 0) return
  const text = `  remove what earlier demos left: ${sumText(found)}`
  const command = `    $ ${programName('af')} demo --clean`
  screen.line(`${text}\n${command}`, { type: 'leftovers', folders: found.length })
}

function sumText(found: readonly Leftover[]): string {
  const bytes = found.reduce((sum, each) => sum + each.bytes, 0)
  return `${found.length} ${found.length === 1 ? 'folder' : 'folders'}, ${megabytes(bytes)}`
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

/** Asks at the terminal. Where nobody can answer, and at the end of input, that is no. */
async function isAgreed(found: readonly Leftover[]): Promise<boolean> {
  if (!process.stdin.isTTY) return false
  const prompt = `Remove ${sumText(found)}? [y/N] `
  const input = createInterface({ input: process.stdin, output: process.stderr, prompt })
  input.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  input.prompt()
  const { value = '' } = await input[Symbol.asyncIterator]().next()
  input.close()
  return /^\s*y(es)?\s*$/i.test(value)
}
