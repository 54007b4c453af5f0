import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { makeFolder } from '@affine/blocks/directory'

/**
 * The folder that an option names, made if it is not there.
 * @throws RangeError when there is something in it.
 */
export async function emptyFolder(path: string, option = '--out'): Promise<string> {
  const folder = resolve(path)
  await makeFolder(folder)
  if ((await readdir(folder)).length > 0)
    throw new RangeError(`"${option}" expected an empty folder, got ${folder}`)
  return folder
}
