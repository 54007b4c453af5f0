// Appends to the journal that it is given until the file may not grow further, and then goes on
// trying.
import { truncate } from 'node:fs/promises'
import type { Json } from '@affine/prng'
import { openJournal } from '../src/journal.ts'

const path = process.argv[2] ?? ''
const journal = await openJournal(path)
const codeOf = (entry: Json): Promise<string> =>
  journal.append(entry).then(
    () => 'kept',
    ({ cause, message }: Error) => (cause as NodeJS.ErrnoException).code ?? message,
  )

let kept = 0
while (kept < 10) if ((await codeOf('x'.repeat(100))) === 'kept') kept += 1
const together = await Promise.all([codeOf('y'.repeat(10_000)), codeOf('small'), codeOf('small')])
await truncate(path, kept * 103)
const later = [await codeOf('small'), await codeOf('small')]
process.stdout.write(JSON.stringify({ kept, together, later }))
