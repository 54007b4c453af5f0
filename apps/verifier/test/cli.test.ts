import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { LocalChain } from '@affine/chain'
import { afterAll, describe, expect, it } from 'vitest'
import { within } from '../../../packages/terminal/test/within.ts'
import { AF_VERIFY, killAll, run } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { program } from '../src/program.ts'

const root = testFolder('af-verify')

afterAll(killAll)

const verify = (...words: readonly string[]) => within(program, words)

async function chainOf(blocks: number): Promise<string> {
  const chain = LocalChain.create({ netuid: 120, random: () => new Uint8Array(32) })
  for (let block = 1; block <= blocks; block++) await chain.produce(block)
  const file = join(root, `chain-${blocks}.json`)
  await writeFile(file, chain.export())
  return file
}

describe('af-verify', () => {
  it('--help is printed, with examples and exit codes, and is no failure', async () => {
    const { code, stdout, stderr } = await run(AF_VERIFY, ['--help'], { cwd: root })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Examples:\n  $ af-verify ./buckets --network chain.json\n')
    expect(stdout).toContain('Exit codes:\n  0    done, and all that was checked holds\n')
  })

  it.each([
    [['buckets'], "required option '--network <where>' not specified"],
    [['buckets', '--network', 'c', '--nope'], "unknown option '--nope'"],
    [['buckets', '--network', 'c', '--epoch', 'x'], 'Expected a whole number, 0 to 1000000000.'],
    [['buckets', '--network', '/dev/zero'], 'the file of a chain\'s export; got "/dev/zero"'],
    [
      ['buckets', '--network', 'nowhere.json'],
      '"network" expected the file of a chain\'s export; "nowhere.json" is not there',
    ],
    [['buckets', '--network', 'toString'], '"network" expected finney, test or local; '],
    [
      ['buckets', '--network', 'ws://127.0.0.1:1'],
      '"netuid" expected a number: ws://127.0.0.1:1 does not say which subnet',
    ],
    [
      ['buckets', '--network', 'local', '--netuid', '70000'],
      'Expected a whole number, 0 to 65535.',
    ],
    [
      ['b', '--network', 'c', '--epoch', '3', '--to-epoch', '2'],
      '"epoch" expected one of the epochs to recompute, got 3',
    ],
    [
      ['b', '--network', 'c', '--epoch', '2', '--from-epoch', '3'],
      '"epoch" expected one of the epochs to recompute, got 2',
    ],
    [
      ['b', '--network', 'c', '--from-epoch', '3', '--to-epoch', '2'],
      '"to-epoch" expected at least 3, got 2',
    ],
    [
      ['b', '--network', 'c', '--sample', 'mult8@0.1.0'],
      'Expected an environment and an index, as mult8#0.',
    ],
    [['--settings', 'nope.env', 'b', '--network', 'c'], 'nope.env does not exist'],
  ])('wrong usage exits with 2 and says why: %j', async (words, why) => {
    const { code, stdout, stderr } = await verify(...words)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(why)
  })

  it('an epoch that nobody has decided is not to be shown: 2, and that is said', async () => {
    const chain = await chainOf(60)
    const { code, stderr } = await verify('buckets', '--network', chain, '--epoch', '99')
    const line = `network: ${chain}, netuid 120 (--network)\n`
    const none = 'af-verify: no epoch matches: 99 was not recomputed\n'
    expect([code, stderr]).toEqual([2, line + none])
    const search = await verify('buckets', '--network', chain, '--sample', 'foo#0')
    expect([search.code, search.stderr]).toEqual([
      2,
      `${line}af-verify: no sample in a valid lane matches foo#0\n`,
    ])
  })

  it('a chain in its first epoch says that there is nothing to verify yet', async () => {
    const chain = await chainOf(10)
    const { code, stderr } = await verify('buckets', '--network', chain)
    const line = `network: ${chain}, netuid 120 (--network)\n`
    expect([code, stderr]).toEqual([4, `${line}af-verify: the chain has not closed an epoch yet\n`])
  })

  it('names the network that .env names, and that file', async () => {
    const cwd = join(root, 'named')
    await mkdir(cwd)
    await writeFile(join(cwd, '.env'), `SUBTENSOR_ENDPOINT=${await chainOf(10)}`)
    const { stderr } = await within(program, ['buckets'], { cwd })
    expect(stderr).toMatch(/^network: .*, netuid 120 \(SUBTENSOR_ENDPOINT in \.env\)\n/)
  })

  it('a file that is no whole export of a chain is named', async () => {
    const chain = await chainOf(20)
    const cut = join(root, 'cut.json')
    await writeFile(cut, (await readFile(chain, 'utf8')).slice(0, -10))
    const { code, stderr } = await verify('buckets', '--network', cut)
    const why = `BadLog: ${cut} is no whole export of a chain: the text ends in the middle of a line`
    expect([code, stderr]).toEqual([4, expect.stringContaining(why)])
  })

  it('what is no chain is refused in one line: no export, nothing that answers, no log', async () => {
    const server = createServer((_, response) => response.end('\u001b[2J<html>\u202e'))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    await writeFile(join(root, 'odd.json'), '{"format":"affine-chain/1","\u009b":1}\n')
    const chains: readonly (readonly [string, string])[] = [
      [join(root, 'odd.json'), 'BadLog'],
      [`http://127.0.0.1:${port}`, 'BadLog'],
      ['http://127.0.0.1:1', 'no chain answers at http://127.0.0.1:1; is it running?'],
    ]
    for (const [chain, why] of chains) {
      const { code, stdout, stderr } = await verify('buckets', '--network', chain)
      expect([code, stdout]).toEqual([4, ''])
      expect(stderr).toContain(why)
      expect(stderr).toMatch(/^af-verify: [^\p{Cc}\p{Cf}]+\n$/u)
    }
    server.close().closeAllConnections()
  })
})
