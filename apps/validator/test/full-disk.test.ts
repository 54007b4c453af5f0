import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
// biome-ignore lint/correctness/useImportExtensions: a process can start with a JavaScript file
import { setFaults } from '../../../test/faults.mjs'
import { runAf } from '../../../test/in-process.ts'
import { testFolder } from '../../../test/test-folder.ts'

const root = testFolder('full-disk')
afterEach(() => setFaults([]))

it.each([
  ['ENOSPC', 'journal', 'appendFile', 2],
  ['EROFS', 'v1/states', 'open', 1],
])('af demo ends immediately on a failing disk: %s in %s', async (fault, place, op, from) => {
  const out = join(root, `demo-${fault}`)
  setFaults([{ fault, path: `${out}/.*${place}`, op, from }])
  const { code, stdout, stderr } = await runAf(['demo', '--seed', '7', '--out', out])
  expect(stderr).toMatch(new RegExp(`: cannot write ${out}/[^ ]+: ${fault}`))
  expect(code).toBe(4)
  expect(stdout).not.toContain('state root')
})

it('af practise and af duel end immediately if they cannot store results', async () => {
  const [file, out] = [join(root, 'samples.jsonl'), join(root, 'duel')]
  setFaults([
    { fault: 'ENOSPC', path: file, op: 'appendFile', from: 3 },
    { fault: 'ENOSPC', path: 'result.json', op: 'writeFile' },
  ])
  const practised = await runAf(['practise', 'perfect', '--challenges', '3', '--resume', file])
  expect(practised).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(`cannot write ${file}: ENOSPC`),
  })
  const ended = await runAf(['duel', '0.1', '0.9', '--env', 'mult8-v0', '--out', out])
  expect(ended).toMatchObject({ code: 4, stderr: expect.stringMatching(/^af: ENOSPC/) })
})
