import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalChain } from '@affine/chain'
import { describe, expect, it } from 'vitest'
import { within } from '../../../packages/terminal/test/within.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers, serve } from '../../../test/web-server.ts'
import { program } from '../src/program.ts'

const root = testFolder('af-verify')

const verify = (...words: readonly string[]) => within(program, words)

async function chainOf(blocks: number): Promise<string> {
  const chain = LocalChain.create({ netuid: 120, random: () => new Uint8Array(32) })
  for (let block = 1; block <= blocks; block++) await chain.produce(block)
  const file = join(root, `chain-${blocks}.json`)
  await writeFile(file, chain.export())
  return file
}

/** Runs each command line. Resolves with the output, in which `./` is the folder of the tests. */
async function screens(lines: readonly string[], code: number, cwd?: string): Promise<string> {
  const shown: string[] = []
  for (const line of lines) {
    const ended = await within(program, line.split(' '), cwd === undefined ? {} : { cwd })
    expect(ended.code, line).toBe(code)
    shown.push(`$ af-verify ${line}\n${ended.stderr}${ended.stdout}`)
  }
  const text = shown.join('\n').replaceAll(`${root}/`, './')
  // On a slow machine, the output may state that the program waits.
  return text.replaceAll(/^waiting for .*\n/gm, '').replaceAll(/\b[0-9a-f]{64}\b/g, '<root>')
}

describe('af-verify', () => {
  it('prints help with examples and exit codes', async () => {
    const { code, stdout, stderr } = await verify('--help')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Examples:\n  $ af-verify ./buckets --network chain.json\n')
    expect(stdout).toContain('Exit codes:\n  0 ')
  })

  it('exits with 2 and the reason after wrong usage', async () => {
    const wrong = [
      'buckets',
      'buckets --network c --nope',
      'buckets --network c --epoch x',
      'buckets --network /dev/zero',
      'buckets --network nowhere.json',
      'buckets --network toString',
      'buckets --network ws://127.0.0.1:1',
      'buckets --network local --netuid 70000',
      'b --network c --epoch 3 --to-epoch 2',
      'b --network c --epoch 2 --from-epoch 3',
      'b --network c --from-epoch 3 --to-epoch 2',
      'b --network c --sample mult8@0.1.0',
      `buckets --network ${await chainOf(60)} --epoch 99`,
      `buckets --network ${await chainOf(60)} --sample foo#0`,
    ]
    await expect(await screens(wrong, 2)).toMatchFileSnapshot('snapshots/wrong-usage.txt')
  })

  it('exits with 4 and the reason if the chain cannot be verified', async () => {
    const cut = join(root, 'cut.json')
    await writeFile(cut, (await readFile(await chainOf(20), 'utf8')).slice(0, -10))
    const chains = [await chainOf(10), cut, 'http://127.0.0.1:1']
    const lines = chains.map((chain) => `buckets --network ${chain}`)
    await expect(await screens(lines, 4)).toMatchFileSnapshot('snapshots/no-chain.txt')
  })

  it('states what is wrong with a proof, its file, or its options', async () => {
    const chain = await chainOf(10)
    await mkdir(join(root, 'folder'))
    await writeFile(join(root, 'large'), '9'.repeat(3_000_000))
    await writeFile(join(root, 'other'), '{"\u001b[2J":1}')
    const wrong = [`proof nowhere`, `proof folder`, `proof large`, 'proof', 'proof other --epoch 2']
    const lines = wrong.map((words) => `${words} --network ${chain}`)
    const usage = await within(program, ['proof', 'other'], { cwd: root })
    expect(usage).toMatchObject({ code: 2, stderr: expect.stringContaining('--network') })
    const checked = ['', ' --json'].map((option) => `proof ./other --network ${chain}${option}`)
    const shown = await screens(lines, 2, root)
    await expect(`${shown}\n${await screens(checked, 1, root)}`).toMatchFileSnapshot(
      'snapshots/proof.txt',
    )
  })

  it('prints the network, and the variable and the file that set it', async () => {
    const cwd = join(root, 'named')
    await mkdir(cwd)
    await writeFile(join(cwd, '.env'), `SUBTENSOR_ENDPOINT=${await chainOf(10)}`)
    const { stderr } = await within(program, ['buckets'], { cwd })
    expect(stderr).toMatch(/^network: .*, netuid 120 \(SUBTENSOR_ENDPOINT in \.env\)\n/)
  })

  it('rejects a file or a server without the log of a chain, and prints one line', async () => {
    const url = await serve((_, response) => response.end('\u001b[2J<html>\u202e'))
    await writeFile(join(root, 'odd.json'), '{"format":"affine-chain/1","\u009b":1}\n')
    for (const chain of [join(root, 'odd.json'), url]) {
      const { code, stdout, stderr } = await verify('buckets', '--network', chain)
      expect([code, stdout]).toEqual([4, ''])
      expect(stderr).toContain('BadLog')
      expect(stderr).toMatch(/^af-verify: [^\p{Cc}\p{Cf}]+\n$/u)
    }
    closeServers()
  })
})
