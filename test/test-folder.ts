import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/**
 * A folder for the tests of a file, or of the `describe` in which it is called. It is gone once all
 * of them, and what `afterAll` does that is called behind it, are over.
 */
export function testFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`))
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}
