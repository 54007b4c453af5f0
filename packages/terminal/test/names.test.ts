import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { NAMES_FILE, readNames } from '../src/command.ts'

const root = testFolder('names')

it.each([
  ['{"5A":"alice","5B":3,"__proto__":"x"}', ['5A', '__proto__']],
  ['[', []],
  ['null', []],
])('reads only names that are strings: %s', async (text, keys) => {
  await writeFile(join(root, NAMES_FILE), text)
  expect(Object.keys(await readNames(join(root, 'chain.json')))).toEqual(keys)
})
