import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { printedBy, runnable, snippetsOf } from './page.ts'
import { openSession, PYTHON } from './session.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Runs what a page says, in its order, in a folder of its own. Without a Python what needs one is
 * left out. Git must ignore all files that the page's commands wrote.
 */
export async function runPage(name: string): Promise<void> {
  const page = await readFile(`${root}/${name}`, 'utf8')
  const all = snippetsOf(page)
  const session = await openSession(page)
  let count = 0
  try {
    for (const snippet of all.filter(runnable)) {
      const { language, note = '', text } = snippet
      const needsPython = language === 'python' || /^(python|pip|uvicorn) /m.test(text)
      if (/^(not run|tested): /.test(note) || (needsPython && !PYTHON)) continue
      count += 1
      if (note === 'serves') await session.serve(snippet)
      else {
        const said = await session.run(snippet)
        const printed = language === 'sh' ? '' : printedBy(snippet, all)
        if (printed !== '') expect(said).toBe(printed)
      }
    }
    expect(session.staged()).toBe('')
  } finally {
    await session.close()
  }
  expect(count > 0 || !PYTHON).toBe(true)
}
