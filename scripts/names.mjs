// Checks that the sources declare each name of an interface, type alias or class once.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** Names that may be declared more than once. */
const REPEATED = new Set(['Props'])

const files = ['packages', 'apps']
  .flatMap((root) => readdirSync(root).map((name) => join(root, name, 'src')))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  .filter((path) => /\.tsx?$/.test(path))

function namesIn(file) {
  const names = []
  const visit = (node) => {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) names.push(node.name)
    if (ts.isClassDeclaration(node) && node.name) names.push(node.name)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest))
  return names.map(({ text }) => text)
}

const places = new Map()
for (const file of files)
  for (const name of namesIn(file)) places.set(name, [...(places.get(name) ?? []), file])
const repeated = [...places].filter(([name, at]) => at.length > 1 && !REPEATED.has(name))
for (const [name, at] of repeated.sort()) console.error(`${name}: ${at.join(', ')}`)
console.log(`${places.size} names of types, ${repeated.length} declared more than once`)
if (places.size === 0 || repeated.length > 0) process.exitCode = 1
