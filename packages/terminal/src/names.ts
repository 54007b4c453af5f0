import { dirname, join } from 'node:path'
import { NODE_HOST } from '@affine/settlement/host'

/** The file with the names of hotkeys, beside the export of a chain. */
export const NAMES_FILE = 'names.json'

/**
 * Reads the names of hotkeys from the file beside a chain's export. Resolves with none if the file
 * does not exist, or is not an object of texts: they are only for display.
 */
export async function namesBeside(network: string): Promise<Readonly<Record<string, string>>> {
  const text = await NODE_HOST.readText(join(dirname(network), NAMES_FILE)).catch(() => '{}')
  try {
    const entries = Object.entries(JSON.parse(text) as object)
    return Object.fromEntries(entries.filter(([, name]) => typeof name === 'string'))
  } catch {
    return {}
  }
}
