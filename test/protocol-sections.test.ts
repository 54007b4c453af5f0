import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
/** Sections without a rule: a worked example, and the promises of the protocol. */
const NOT_RULES = ['8.8', '11']

/** Returns the numbers of the sections without subsections. */
function leafSections(): readonly string[] {
  const page = readFileSync(join(root, 'docs/protocol.md'), 'utf8')
  const numbers = [...page.matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number = '']) => number)
  return numbers.filter((number) => !numbers.some((other) => other.startsWith(`${number}.`)))
}

/** Returns the sources that cite each section, as in `Protocol §8.6`. */
function citations(): ReadonlyMap<string, readonly string[]> {
  const folders = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name, 'src')),
  )
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => join(folder, path)),
  )
  const cited = new Map<string, string[]>()
  for (const path of sources) {
    const text = readFileSync(join(root, path), 'utf8').replace(/\n\s*\* /g, ' ')
    for (const [, number = ''] of text.matchAll(/Protocol §(\d+(?:\.\d+)?)/g)) {
      cited.set(number, [...(cited.get(number) ?? []), path])
    }
  }
  return cited
}

test('sources cite only existing sections', () => {
  const cited = citations()
  expect(cited.size).toBeGreaterThan(0)
  for (const [number, paths] of cited) expect(leafSections(), paths.join()).toContain(number)
})

test('sources cite every section with a rule', () => {
  const rules = leafSections().filter((number) => !NOT_RULES.includes(number))
  expect(rules.length).toBeGreaterThan(30)
  const cited = citations()
  expect(rules.filter((number) => !cited.has(number))).toEqual([])
})
