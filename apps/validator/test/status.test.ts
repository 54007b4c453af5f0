import { randomBytes } from 'node:crypto'
import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { blockPath } from '@affine/blocks'
import { LocalChain } from '@affine/chain'
import { LOCAL_NETWORK, type RecomputedEpoch } from '@affine/settlement'
import { NAMES_FILE } from '@affine/terminal'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { mapNames } from '../src/commands/demo/subnet.ts'
import { status } from '../src/commands/status.ts'
import { cutBlocks, findUnprintable, runCommand, writeIn } from './commands.ts'
import { hotkeyOf, named, PARTICIPANTS, playSubnetOnce, recomputeIn } from './played-subnet.ts'

const { epochBlocks } = LOCAL_NETWORK.protocol
const THIRD_EPOCH = 3 * epochBlocks + 4
const root = testFolder('status')
const subnet = await playSubnetOnce()
/** The first epoch with a duel, from the evidence. */
const first = (await recomputeIn(subnet.folder)).find(
  ({ before }) => before.duels.length > 0,
) as RecomputedEpoch

/** Returns the chain up to a block. */
function until(block: number): LocalChain {
  return LocalChain.import(cutBlocks(subnet.chainExport, block + 1), () => randomBytes(32))
}
const ask = (chain: LocalChain, ...words: readonly string[]) =>
  askIn(subnet.buckets, chain, ...words)
async function askIn(folder: string, chain: LocalChain, ...words: readonly string[]) {
  const file = await writeIn(root, chain.export())
  return runCommand(status, '--network', file, '--buckets', folder, ...words)
}

describe('af status', () => {
  it('prints each duel with its verdicts, and the result of the last epoch', async () => {
    const { before, state, report } = first
    const block = (before.epoch + 1) * epochBlocks + 4
    const { stdout, error } = await ask(until(block))
    expect([error, findUnprintable(stdout)]).toEqual([undefined, []])
    await expect(named(stdout)).toMatchFileSnapshot('snapshots/status.txt')
    const { records } = await ask(until(block), '--json')
    expect(records).toMatchObject([
      {
        block,
        epoch: before.epoch + 1,
        offset: 4,
        champion: { hotkey: hotkeyOf('veteran') },
        ratio: 510_000,
        duels: [{ contender: { hotkey: hotkeyOf('stronger') } }],
        last: { report: { duels: [{ standing: 'lost' }, { standing: 'open' }] } },
      },
    ])
    expect(state.duels).toHaveLength(1)
    expect(report.duels).toHaveLength(2)
  })

  it('prints names from the file next to the chain, but hotkeys with --json', async () => {
    const chain = until(THIRD_EPOCH)
    const file = await writeIn(root, chain.export(), 'named/chain.json')
    await writeIn(root, JSON.stringify(mapNames(PARTICIPANTS)), `named/${NAMES_FILE}`)
    const words = ['--network', file, '--buckets', subnet.buckets]
    const { stdout } = await runCommand(status, ...words)
    const withoutWidths = (text: string): string => text.replaceAll(/ +/g, ' ')
    const { stdout: unnamed } = await ask(chain)
    expect(withoutWidths(stdout)).toBe(withoutWidths(named(unnamed)))
    const { records } = await runCommand(status, ...words, '--json')
    expect(records).toEqual((await ask(chain, '--json')).records)
    const [row] = (records as [{ rows: object[] }])[0].rows
    expect(row).toMatchObject({
      lane: { validator: hotkeyOf('alice'), accepted: true },
      trust: 833_333,
      committed: { kind: 'seal', epoch: 3 },
      weights: [{ uid: 5, hotkey: hotkeyOf('veteran') }],
    })
  })

  it('starts with --last from the attested state, without earlier evidence', async () => {
    const chain = until((first.epoch + 2) * epochBlocks + 1)
    const all = await ask(chain)
    expect((await ask(chain, '--last', '1')).stdout).toBe(all.stdout)
    // No evidence of the first duel's epoch remains.
    const incomplete = join(root, 'thinned')
    await cp(subnet.buckets, incomplete, { recursive: true })
    const blocks = [...first.lanes.values()].flatMap((lane) => (lane.ok ? lane.value.blocks : []))
    for (const bucket of await readdir(incomplete))
      for (const hash of blocks)
        await rm(join(incomplete, bucket, blockPath(hash)), { force: true })
    expect((await askIn(incomplete, chain, '--last', '1')).stdout).toBe(all.stdout)
    const { error } = await askIn(incomplete, chain)
    expect(error?.message).toContain(`epoch ${first.epoch}: the attested lane of`)
  })
})
