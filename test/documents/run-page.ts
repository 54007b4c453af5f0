import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { printedBy, runnable, snippetsOf } from './page.ts'
import { openSession, PYTHON } from './session.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Runs the snippets of a page in order, in a new folder, and compares their output with the page.
 * Without TEST_PYTHON, skips snippets that need Python. Git must ignore all files that they write.
 */
export async function runPage(name: string): Promise<void> {
  const page = await readFile(`${root}/${name}`, 'utf8')
  const all = snippetsOf(page)
  const session = await openSession(page)
  let count = 0
  try {
    for (const snippet of all.filter(runnable)) {
      const { language, note = '', text } = snippet
      const [, file] = /^file: (.*)$/.exec(note) ?? []
      if (file !== undefined) {
        await session.write(file, text)
        continue
      }
      const needsPython =
        language === 'python' || /^(python|pip|uvicorn|affine-verify) /m.test(text)
      if (/^(not run|tested): /.test(note) || (needsPython && !PYTHON)) continue
      count += 1
      if (note === 'serves') await session.serve(snippet)
      else {
        const output = await session.run(snippet)
        const printed = language === 'sh' ? '' : printedBy(snippet, all)
        if (printed !== '') expect(output).toBe(printed)
      }
    }
    expect(session.staged()).toBe('')
  } finally {
    await session.close()
  }
  expect(count > 0 || !PYTHON).toBe(true)
}
