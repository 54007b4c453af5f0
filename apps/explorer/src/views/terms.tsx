import { useId } from 'preact/hooks'
import glossary from '../../../../docs/glossary.md?raw'
import protocolUrl from '../../../../docs/protocol.md?url'

/** An entry of the glossary, and the section of the protocol that defines the term. */
interface GlossaryEntry {
  readonly meaning: string
  readonly section: string
}

/** Entries of docs/glossary.md by term. */
const ENTRIES: ReadonlyMap<string, GlossaryEntry> = new Map(
  glossary
    .split('\n| **')
    .slice(1)
    .map((row) => row.split('|'))
    .map(([term = '', meaning = '', section = '']) => [
      term.replace('**', '').trim(),
      { meaning: meaning.trim().replaceAll(/[_`]/g, ''), section: section.trim() },
    ]),
)

const MENTION = new RegExp(`\\b((?:${[...ENTRIES.keys()].sort().reverse().join('|')})s?)\\b`, 'i')

/** Shows a text. The first mention of each term of the glossary opens its entry. */
export function Terms({ children }: { readonly children: string }) {
  const seen = new Set<GlossaryEntry>()
  const parts = children.split(MENTION).map((part) => {
    const name = part.toLowerCase()
    const entry = ENTRIES.get(name) ?? ENTRIES.get(name.replace(/s$/, ''))
    if (entry === undefined || seen.has(entry)) return part
    seen.add(entry)
    return <Term {...entry}>{part}</Term>
  })
  return <>{parts}</>
}

/** Shows a term as a button that opens its entry. */
function Term({ meaning, section, children }: GlossaryEntry & { readonly children: string }) {
  const id = useId()
  return (
    <>
      <button type="button" class="term" popovertarget={id} title={meaning}>
        {children}
      </button>
      <span id={id} class="entry" popover>
        <b>{children}</b>: {meaning}. <a href={protocolUrl}>The protocol, section {section}</a>
      </span>
    </>
  )
}
