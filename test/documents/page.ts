/** A command or program of a page: indented lines are a shell's, fenced ones of their language. */
export interface Snippet {
  /** Of the page, from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
  /** What the comment before it says, as in `<!-- not run: network -->`. */
  readonly note: string | undefined
}

/** Why a test cannot run a snippet. */
export const REASONS: readonly string[] = ['network', 'GPU', 'root', 'placeholders']

/** What needs no run: it shows data, or what something prints. */
const SHOWN = new Set(['json', 'text', ''])

/** The snippets of a page in Markdown, in its order. */
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
      const rest = lines.slice(from).findIndex(ends)
      const to = rest === -1 ? lines.length : from + rest
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

/** Those that somebody would run. */
export const runnable = ({ language }: Snippet): boolean => !SHOWN.has(language)

/** What a page says that a program prints: in comments behind its calls, or in the block after. */
export function printedBy(program: Snippet, all: readonly Snippet[]): string {
  const comments = [...program.text.matchAll(/^console\.log.*\) \/\/ (.*)$/gm)]
  if (comments.length > 0) return comments.map(([, printed]) => `${printed}\n`).join('')
  const next = all.find(({ line }) => line > program.line)
  return next?.language === 'text' ? `${next.text}\n` : ''
}
