/** A command or program of a page. Indented lines are for a shell, fenced ones have a language. */
export interface Snippet {
  /** Line of the page, from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
  /** Text of the comment before the snippet, as in `<!-- not run: network -->`, if any. */
  readonly note: string | undefined
}

/** Reasons why a test cannot run a snippet. */
export const REASONS: readonly string[] = ['network', 'GPU', 'root', 'placeholders']

/** Languages of snippets that show data or output. */
const SHOWN = new Set(['json', 'text', ''])

/** Returns the snippets of a page in Markdown, in order. */
export function snippetsOf(markdown: string): readonly Snippet[] {
  const lines = markdown.split('\n')
  const snippets: Snippet[] = []
  let note: string | undefined
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? ''
    const fence = /^```(\w*)/.exec(line)
    const isIndented = /^ {4}\S/.test(line) && (lines[i - 1] ?? '').trim() === ''
    if (fence !== null || isIndented) {
      const ends = fence === null ? (text: string) => !/^ {4}|^$/.test(text) : isFence
      const from = fence === null ? i : i + 1
      const length = lines.slice(from).findIndex(ends)
      const to = length === -1 ? lines.length : from + length
      const text = lines.slice(from, to).map((each) => (fence ? each : each.slice(4)))
      const language = fence === null ? 'sh' : (fence[1] ?? '')
      snippets.push({ line: i + 1, language, text: text.join('\n').trimEnd(), note })
      i = fence === null ? to - 1 : to
    }
    const comment = /^<!-- (.*) -->$/.exec(line)
    if (comment !== null) note = comment[1]
    else if (line.trim() !== '') note = undefined
  }
  return snippets
}

const isFence = (text: string): boolean => text === '```'

/** Reports whether a reader would run a snippet. */
export const runnable = ({ language }: Snippet): boolean => !SHOWN.has(language)

/** Returns a program's output as the comments after its calls or the next block state it, or ''. */
export function printedBy(program: Snippet, all: readonly Snippet[]): string {
  const comments = [...program.text.matchAll(/^console\.log.*\) \/\/ (.*)$/gm)]
  if (comments.length > 0) return comments.map(([, printed]) => `${printed}\n`).join('')
  const next = all.find(({ line }) => line > program.line)
  return next?.language === 'text' ? `${next.text}\n` : ''
}
