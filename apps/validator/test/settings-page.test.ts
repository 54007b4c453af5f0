import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { backendOf } from '../src/buckets/backends.ts'
import { SETTINGS } from '../src/settings/table.ts'

const PAGE = fileURLToPath(new URL('../../../docs/operating.md', import.meta.url))
const TABLE = /^\| option .*?\n\n/ms
const HEAD = ['option', 'variable', 'without it', 'what it is']

/** All settings as a table in Markdown, its columns aligned. */
function settingsTable(): string {
  const code = (text: string): string => `\`${text}\``
  const rows = SETTINGS.map((setting) => {
    const { option, variables = [], needed, default: standard, without = '', help } = setting
    const missing = backendOf(setting) ? 'must be given for such a bucket' : 'must be given'
    return [
      option === undefined ? '' : code(option.replace(/ .*/, '')),
      variables.map(code).join(', '),
      needed ? missing : (standard ?? without),
      help.replaceAll('|', '\\|'),
    ]
  })
  const widths = HEAD.map((_, i) => Math.max(...[HEAD, ...rows].map((row) => row[i]!.length)))
  const lines = [HEAD, widths.map((width) => '-'.repeat(width)), ...rows].map((row) =>
    row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | '),
  )
  return `${lines.map((line) => `| ${line} |\n`).join('')}\n`
}

// `npx vitest run --project node settings-page -u` writes it.
it("operating.md's table of settings is that of the schema", async () => {
  const page = await readFile(PAGE, 'utf8')
  expect(page).toMatch(TABLE)
  await expect(page.replace(TABLE, settingsTable)).toMatchFileSnapshot(PAGE)
})
