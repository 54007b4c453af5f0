import { dirname, join } from 'node:path'
import { NODE_HOST } from '@affine/settlement/host'

/** The file with the names of hotkeys, in the folder of a chain's export. */
export const NAMES_FILE = 'names.json'

/**
 * Reads the names of hotkeys, which are only for display, from the folder of a chain's export.
 * Ignores a missing or malformed file, and values that are not strings.
 */
export async function readNames(network: string): Promise<Readonly<Record<string, string>>> {
  const text = await NODE_HOST.readText(join(dirname(network), NAMES_FILE)).catch(() => '{}')
  try {
    const entries = Object.entries(JSON.parse(text) as object)
    return Object.fromEntries(entries.filter(([, name]) => typeof name === 'string'))
  } catch {
    return {}
  }
}
