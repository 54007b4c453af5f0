import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { AF, killAll, type ProcessResult, run } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { withFaults } from './commands.ts'

const root = testFolder('full-disk')
afterAll(killAll)

/** Runs `af` on a disk with these faults. */
const onDisk = (faults: object, words: readonly string[]): Promise<ProcessResult> =>
  run(AF, words, { env: withFaults(faults) })

it.each([
  ['ENOSPC', 'journal', 'appendFile', 9],
  ['EROFS', 'v1/states', 'open', 1],
])('af demo ends immediately on a failing disk: %s in %s', async (fault, place, op, from) => {
  const out = join(root, `demo-${fault}`)
  const faults = { fault, path: `${out}/.*${place}`, op, from }
  const { code, stdout, stderr } = await onDisk(faults, ['demo', '--seed', '7', '--out', out])
  expect(stderr).toMatch(new RegExp(`: cannot write ${out}/[^ ]+: ${fault}`))
  expect(code).toBe(4)
  expect(stdout).not.toContain('state root')
})

it('af practise and af duel end immediately if they cannot store results', async () => {
  const file = join(root, 'samples.jsonl')
  const practice = ['practise', 'perfect', '--challenges', '3', '--resume', file]
  const faults = { fault: 'ENOSPC', path: file, op: 'appendFile', from: 3 }
  const practised = await onDisk(faults, practice)
  expect(practised.stderr).toMatch(`cannot write ${file}: ENOSPC`)
  expect(practised.code).toBe(4)

  const out = join(root, 'duel')
  const duel = ['duel', '0.1', '0.9', '--env', 'mult8-v0', '--out', out]
  const ended = await onDisk({ fault: 'ENOSPC', path: 'result.json', op: 'writeFile' }, duel)
  expect(ended.stderr).toMatch(/^af: ENOSPC/)
  expect(ended.code).toBe(4)
})
