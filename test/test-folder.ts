import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/**
 * Creates a folder for the tests of a file or of the surrounding `describe`. The folder is deleted
 * after all these tests, and after each `afterAll` that is registered later.
 */
export function testFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`))
  // After rmSync of a FIFO or a socket, Node 20 would not resolve links of the next import.
  afterAll(() => rm(folder, { recursive: true }))
  return folder
}

/** Returns a function that returns another path in a `testFolder` at each call. */
export function testPaths(name: string): () => string {
  const folder = testFolder(name)
  let count = 0
  return () => join(folder, String(count++))
}
