import { stripVTControlCharacters } from 'node:util'
import { LocalChain } from '@affine/chain'
import { type DuelFacts, shortenHotkey } from '@affine/report'
import { LOCAL_NETWORK } from '@affine/settlement'
import { expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { explain } from '../src/commands/explain.ts'
import { type CommandResult, cutBlocks, findUnprintable, runCommand, writeIn } from './commands.ts'
import { hotkeyOf, named, PARTICIPANTS, playSubnetOnce } from './played-subnet.ts'

const { isTTY, columns } = process.stdout

const root = testFolder('explain')
const subnet = await playSubnetOnce()
const fileOf = (name: string, blocks: number): Promise<string> =>
  writeIn(root, cutBlocks(subnet.chainExport, blocks), name)
/** Results by arguments, stored because each run reads the whole history. */
const results = new Map<string, Promise<CommandResult>>()
function ask(file: string, hotkey: string, ...words: readonly string[]): Promise<CommandResult> {
  const all = ['--network', file, '--buckets', subnet.buckets, '--hotkey', hotkey, ...words]
  const key = all.join(' ')
  const answer = results.get(key) ?? runCommand(explain, ...all)
  results.set(key, answer)
  return answer
}

it('af explain prints the duels and the current position of a loser and of the winner', async () => {
  const loser = await ask(subnet.chainFile, hotkeyOf('weaker'))
  expect([loser.error, findUnprintable(loser.stdout)]).toEqual([undefined, []])
  const winner = await ask(subnet.chainFile, hotkeyOf('stronger'))
  const text = [loser, winner].map(({ stdout }) => named(stdout)).join('\n---\n\n')
  await expect(text).toMatchFileSnapshot('snapshots/explain.txt')
  const causesIn = async (name: string) => {
    const { records } = await ask(subnet.chainFile, hotkeyOf(name), '--json')
    const duels = records.filter(({ type }) => type === 'epoch').map(({ duel }) => duel)
    return (duels as DuelFacts[]).map(({ analyses }) => analyses.map(({ cause }) => cause))
  }
  expect(await causesIn('weaker')).toEqual([expect.arrayContaining(['LINE'])])
  expect((await causesIn('stronger')).flat()).toContain('SCORE')
  const { records } = await ask(subnet.chainFile, hotkeyOf('weaker'), '--json')
  expect(records[0]).toMatchObject({ type: 'duel', ending: 'lost', by: 'verdicts', wins: 0 })
  expect(records[0]?.cause).toMatch(/^(OUTPLAYED|WRONG)$/)
})

it('af explain fits a duel into a terminal of 80 x 24, and names a lost challenge of each environment', async () => {
  Object.assign(process.stdout, { isTTY: true, columns: 80 })
  const { stdout } = await ask(subnet.chainFile, hotkeyOf('weaker'), '--netuid', '120')
  Object.assign(process.stdout, { isTTY, columns })
  const lines = stripVTControlCharacters(stdout.replaceAll(/.*\r/g, '')).split('\n')
  // One line remains for the network, on standard error.
  expect(lines.length).toBeLessThanOrEqual(23)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
  const lost = lines.flatMap((line) => /^ {2}lost (.+)#\d+ in epoch \d+: /.exec(line)?.[1] ?? [])
  expect(lost).toEqual(Object.keys(LOCAL_NETWORK.protocol.envs))
})

it('af explain shows a pending duel, and only the epochs of a duel that --last includes', async () => {
  const contender = hotkeyOf('stronger')
  const [duel] = (await ask(subnet.chainFile, contender, '--json')).records
  const { from, to } = duel as unknown as Record<'from' | 'to', number>
  expect(to).toBeGreaterThan(from)
  const { epochBlocks } = LOCAL_NETWORK.protocol
  // The chain ends where the last epoch of the duel begins.
  const file = await fileOf('going-on.json', to * epochBlocks)
  const going = (await ask(file, contender, '--json')).records
  expect(going[0]).toMatchObject({ type: 'duel', ending: 'open', needed: 3 })
  expect(going.at(-1)).toMatchObject({ type: 'now', hotkey: contender })
  const closed = Math.floor((LocalChain.import(subnet.chainExport).height + 1) / epochBlocks)
  const late = await ask(subnet.chainFile, contender, '--last', String(closed - to), '--json')
  expect(late.records[0]).toMatchObject({ ending: 'won', start: from, from: to, to })
})

it('af explain finds a miner by its uid, or its name in names.json, and shows its place', async () => {
  const file = await fileOf('early.json', 12)
  const uid = PARTICIPANTS.validators.length + 2
  const { records, stdout } = await ask(file, String(uid))
  const stronger = shortenHotkey(hotkeyOf('stronger'))
  expect(stdout).toContain(
    `${stronger} waits, at place 3 of 3: its turn begins in about 1 epoch; registration `,
  )
  expect(records).toEqual([])
  const json = await ask(file, hotkeyOf('veteran'), '--json')
  expect(json.records).toMatchObject([{ type: 'now', hotkey: hotkeyOf('veteran'), place: 1 }])
  expect((await ask(file, hotkeyOf('alice'))).stdout).toContain(
    `${shortenHotkey(hotkeyOf('alice'))} has no commitment\n`,
  )
  const names = JSON.stringify({ [hotkeyOf('stronger')]: 'stronger' })
  await writeIn(root, names, 'named/names.json')
  const named = await ask(await fileOf('named/chain.json', 12), 'stronger')
  expect(named.stdout).toContain('stronger waits, at place 3 of 3: ')
})

it('af explain reports an unknown hotkey as unregistered, escaped for the terminal', async () => {
  const { stdout, exitCode } = await ask(subnet.chainFile, '\u001b[2Jnobody')
  expect([stdout.split('\n')[0], exitCode]).toEqual(['nobody is not registered', 1])
  expect((await ask(subnet.chainFile, hotkeyOf('weaker'))).exitCode).toBe(undefined)
})
