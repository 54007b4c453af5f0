import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

const PACKAGE = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/
const TEXT = /^(licen[cs]e|copying|notice)/i
const LINE = '-'.repeat(80)

/**
 * Returns the name and version of the package in a folder, and the texts of its licence.
 *
 * @throws Error if the package has no text of a licence.
 */
function licenceOf(folder: string): { readonly id: string; readonly text: string } {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const id = `${name} ${version}`
  const files = readdirSync(folder).filter((file) => TEXT.test(file))
  if (files.length === 0)
    throw new Error(`${id} is part of the page, and ${folder} has no licence: use another package`)
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return { id, text: texts.join('\n\n') }
}

/** Returns each licence text once, below the names and versions of its packages. */
function listOf(folders: ReadonlySet<string>): string {
  const packages = new Map<string, Set<string>>()
  for (const { id, text } of [...folders].map(licenceOf))
    packages.set(text, (packages.get(text) ?? new Set()).add(id))
  const parts = [...packages].map(([text, ids]) => `${[...ids].sort().join('\n')}\n\n${text}\n`)
  return parts.sort().join(`\n${LINE}\n\n`)
}

/**
 * Returns plugins that write `licences.txt`, with the licence of each external package in the page
 * or its worker. Vite's own list omits workers.
 */
export function licences(): { readonly page: Plugin; readonly worker: Plugin } {
  const folders = new Set<string>()
  const collect = (bundle: Rolldown.OutputBundle): void => {
    for (const output of Object.values(bundle))
      for (const id of output.type === 'chunk' ? output.moduleIds : []) {
        const [folder] = PACKAGE.exec(id) ?? []
        if (folder !== undefined) folders.add(folder)
      }
  }
  return {
    worker: { name: 'collect-licences', generateBundle: (_, bundle) => collect(bundle) },
    page: {
      name: 'write-licences',
      // Workers are bundled while the page's modules are read, so `folders` is complete here.
      generateBundle(_, bundle) {
        collect(bundle)
        this.emitFile({ type: 'asset', fileName: 'licences.txt', source: listOf(folders) })
      },
    },
  }
}
