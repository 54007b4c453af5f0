import { execFileSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { statePath } from '@affine/blocks'
import type { Account } from '@affine/chain'
import type { State } from '@affine/duel'
import { stripTones } from '@affine/report'
import type { Output } from '@affine/terminal'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  FIRST_DUEL,
  hotkeys,
  network,
  ReadingSubnet,
} from '../../../test/attacks/reading-subnet.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { verify } from '../src/verify.ts'

const root = testFolder('reported')

let subnet: ReadingSubnet
/** The state that governs the epoch of the duel. */
let state: State
/** The uids of the champion and its contender. */
const [CHAMPION, CONTENDER] = [4, 5]

/** Four voters have sealed complete lanes. The bucket of each voter has the lanes of all four. */
beforeEach(async () => {
  subnet = new ReadingSubnet([100, 100, 100, 10])
  state = await subnet.begin()
  await subnet.sealAll(state)
})
afterEach(() => {
  process.exitCode = undefined
})

/**
 * Runs the verifier after `spoil` has changed the buckets' files. Resolves with the printed text
 * and records.
 */
async function runVerifier(
  spoil: () => Promise<void> = async () => {},
): Promise<{ text: string; records: readonly Record<string, unknown>[] }> {
  for (const { hotkey } of subnet.voters) {
    for (const [path, bytes] of subnet.buckets.at(hotkey).files) {
      const file = join(root, hotkey, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, bytes)
    }
  }
  await spoil()
  const outputs: [string, object][] = []
  const screen: Output = {
    line: (lines, record) => outputs.push([stripTones(lines), record]),
    status: () => {},
    wait: () => {},
  }
  const { chain } = subnet
  await verify({ chain, network }, { base: root, jobs: 1, samples: true }, screen)
  return {
    text: outputs.map(([text]) => text).join('\n'),
    records: outputs.map(([, record]) => ({ ...record })),
  }
}

it.each([0, 1])(
  'warns of a voter whose bits omit valid lanes, and of %i voters that set other weights',
  async (others) => {
    const [first, second, third, light] = subnet.voters as [Account, Account, Account, Account]
    const lacking = [first.hotkey, light.hotkey].sort()
    for (const voter of subnet.voters) {
      const without = voter === third ? lacking : []
      const whole = hotkeys(subnet.voters).filter((hotkey) => !without.includes(hotkey))
      await subnet.attest(voter, state, whole)
    }
    const sent = [
      subnet.chain.setWeights(first, [[CHAMPION, 7]]),
      subnet.chain.setWeights(second, [[others ? CONTENDER : CHAMPION, 7]]),
    ]
    await subnet.chain.produce(0)
    await Promise.all(sent)
    await subnet.end(state)

    const { records } = await runVerifier()
    const withheld = `2 valid lanes that others attest: ${lacking.join(', ')}`
    const warning = { type: 'warning', epoch: FIRST_DUEL, validator: third.hotkey }
    expect(records).toContainEqual({ ...warning, code: 'BITS_WITHHELD', detail: withheld })
    const samples = records.filter(({ type }) => type === 'sample')
    expect(samples.map(({ counts }) => counts)).toContain(true)
    expect(samples.map(({ why }) => why)).not.toContain('NOT_ACCEPTED')
    expect(records.at(-1)).toMatchObject({
      type: 'end',
      warnings: 1 + others,
      flaws: 0,
      conclusion: 'HOLDS',
      votes: {
        uid: CHAMPION,
        validators: 2,
        agreeing: 2 - others,
        others: others ? [{ validator: second.hotkey }] : [],
      },
    })
    expect(process.exitCode).toBeUndefined()
  },
)

it.each<[string, (file: string) => Promise<unknown>, string]>([
  ['absent', (file) => rm(file), 'file not found'],
  ['a FIFO', (file) => rm(file).then(() => void execFileSync('mkfifo', [file])), 'not a file'],
])('reports an attested state that is %s, in one bucket and in all', async (_, spoil, why) => {
  for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
  await subnet.end(state)
  for (const count of [1, subnet.voters.length]) {
    const spoiled = hotkeys(subnet.voters).slice(0, count)
    const { records } = await runVerifier(async () => {
      for (const hotkey of spoiled) await spoil(join(root, hotkey, statePath(FIRST_DUEL)))
    })
    for (const hotkey of spoiled) {
      const detail = expect.stringMatching(new RegExp(`${statePath(FIRST_DUEL)}: ${why}$`))
      const flaw = { type: 'flaw', epoch: FIRST_DUEL, validator: hotkey, code: 'STATE_MISSING' }
      expect(records).toContainEqual({ ...flaw, detail })
      await rm(join(root, hotkey, statePath(FIRST_DUEL)), { recursive: true, force: true })
    }
    expect(records.at(-1)).toMatchObject({ type: 'end', flaws: count, conclusion: 'FLAWED' })
    expect(process.exitCode).toBe(1)
    process.exitCode = undefined
  }
})

it.each([
  [0, undefined],
  [1, 1],
])('keeps the exit code of %i flaws if the next epoch is unavailable', async (flaws, exitCode) => {
  const [first, second] = subnet.voters as [Account, Account]
  const attestAll = async (of: State) => {
    for (const voter of subnet.voters) await subnet.attest(voter, of, hotkeys(subnet.voters))
    await subnet.end(of)
  }
  const blocks = () =>
    [...subnet.buckets.at(first.hotkey).files.keys()].filter((path) => path.includes('/blocks/'))
  const early = blocks()
  await attestAll(state)
  const next = (await subnet.recompute()).at(-1)?.state as State
  await subnet.produceTo(next.epoch * network.protocol.epochBlocks)
  await subnet.sealAll(next)
  const late = blocks().filter((path) => !early.includes(path))
  await attestAll(next)
  if (flaws > 0) subnet.buckets.at(second.hotkey).files.set(early[0] ?? '', new Uint8Array(1))
  for (const { hotkey } of subnet.voters)
    for (const path of late) subnet.buckets.at(hotkey).files.delete(path)
  const error = await runVerifier().then(
    () => new Error('it continued'),
    (error: Error) => error,
  )
  expect(error.message).toMatch(/^epoch 3: the attested lane of \S+ is not available: /)
  expect(process.exitCode).toBe(exitCode)
})
