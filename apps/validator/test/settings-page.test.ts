import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { SETTINGS } from '../src/settings/table.ts'

const PAGE = fileURLToPath(new URL('../../../docs/settings.md', import.meta.url))
const LIST = /^- `--network`.*?\n\n/ms

/** Returns all settings as a list in Markdown, each with its default. */
function settingsList(): string {
  const items = SETTINGS.map((setting) => {
    const { option, variables = [], needed, default: standard, without = '', help } = setting
    const names = [...(option === undefined ? [] : [option.replace(/ .*/, '')]), ...variables]
    const unset = standard ?? without
    const otherwise = unset === '' ? '' : ` (default: ${unset})`
    const aside = needed ? ' (needed)' : otherwise
    return `- ${names.map((name) => `\`${name}\``).join(', ')}${aside}: ${help}\n`
  })
  return `${items.join('')}\n`
}

// `npx vitest run --project node settings-page -u` writes the page.
it('docs/settings.md lists all settings with their names, defaults and help', async () => {
  const page = await readFile(PAGE, 'utf8')
  expect(page).toMatch(LIST)
  await expect(page.replace(LIST, settingsList)).toMatchFileSnapshot(PAGE)
})
