import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root: string = fileURLToPath(new URL('..', import.meta.url))

/** Returns the text of a file of the repository. */
export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Returns the paths of all files and folders below a folder of the repository. */
export const filesBelow = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    join(folder, name),
  )

/** The folders of all packages and applications. */
export const folders: readonly string[] = ['packages', 'apps'].flatMap((parent) =>
  readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
)
