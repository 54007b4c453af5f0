// Opens the journal that it is given, says what is in it, and appends the words that follow, one
// after the other.
import { openJournal } from '../src/journal.ts'

const [path = '', ...words] = process.argv.slice(2)
const journal = await openJournal(path)
process.stdout.write(`${JSON.stringify(journal.entries)}\n`)
for (const word of words) {
  await journal.append(word)
  process.stdout.write(`${word} is in\n`)
}
