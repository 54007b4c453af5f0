import { expect, test } from 'vitest'
import { filesBelow, folders, read } from './repository.ts'

/** Sections without a rule: a worked example, and the promises of the protocol. */
const NOT_RULES = ['8.8', '11']

/** Returns the numbers of the sections without subsections. */
function leafSections(): readonly string[] {
  const numbers = [...read('docs/protocol.md').matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm)].map(
    ([, number = '']) => number,
  )
  return numbers.filter((number) => !numbers.some((other) => other.startsWith(`${number}.`)))
}

/** Returns the sources that cite each section, as in `Protocol §8.6`. */
function citations(): ReadonlyMap<string, readonly string[]> {
  const sources = folders.flatMap((folder) => filesBelow(`${folder}/src`))
  const cited = new Map<string, string[]>()
  for (const path of sources.filter((path) => /\.tsx?$/.test(path))) {
    const text = read(path).replace(/\n\s*\* /g, ' ')
    for (const [, number = ''] of text.matchAll(/Protocol §(\d+(?:\.\d+)?)/g)) {
      cited.set(number, [...(cited.get(number) ?? []), path])
    }
  }
  return cited
}

test('sources cite only existing sections without subsections', () => {
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
