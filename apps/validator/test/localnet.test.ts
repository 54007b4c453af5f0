import { cp, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Account, account, LocalChain, remoteChain } from '@affine/chain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAf } from '../../../test/in-process.ts'
import { AF, killAll, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { parseRecords, servingOf, startAf, writeIn } from './commands.ts'

const root = testFolder('af-localnet')
let count = 0
const fresh = (): string => join(root, `${count++}`)

/** A localnet of one validator and two miners that has ended. Tests use copies of it. */
const ended = fresh()
beforeAll(async () => {
  const first = localnet(ended, '--validators', '1')
  await servingOf(first)
  await first.stop()
})
afterAll(killAll)

async function copyEnded(): Promise<string> {
  const out = fresh()
  await cp(ended, out, { recursive: true })
  return out
}
const wordsFor = (out: string, ...more: readonly string[]) => [
  'localnet',
  '--port',
  '0',
  '--block-ms',
  '20',
  '--out',
  out,
  '--json',
  ...more,
]
/** Starts a localnet in this process, on a free port, or on the port in `more`. */
const localnet = (out: string, ...more: readonly string[]) =>
  startAf(wordsFor(out, ...more), { cwd: root })
/** Runs `af localnet` in this process, with arguments that it must refuse. */
const refused = (...words: readonly string[]) =>
  runAf(['localnet', '--port', '0', ...words], { cwd: root })
const keyOf = async (out: string, name: string): Promise<Account> =>
  account(Buffer.from(await readFile(join(out, 'keys', name), 'utf8'), 'hex'))
const chainText = (out: string): Promise<string> => readFile(join(out, 'chain.json'), 'utf8')
const field = (text: string): Uint8Array => new TextEncoder().encode(text)
const stopped = { code: 130, stderr: '' }

describe('a restarted localnet', () => {
  it('continues its chain with its keys and transactions at the next block', async () => {
    const out = fresh()
    const first = localnet(out, '--validators', '1', '--miners', '1')
    const began = await servingOf(first)
    expect(began.neurons).toHaveLength(2)
    const keys = await readdir(join(out, 'keys'))
    expect(keys.sort()).toEqual(['miner-1', 'validator-1'])
    const [validator, miner] = [await keyOf(out, 'validator-1'), await keyOf(out, 'miner-1')]
    const before = await remoteChain(began.url, { fetch })
    await before.commit(miner, [field('said')])
    await before.setWeights(validator, [[1, 1]])
    const seen = await before.head()
    const { tempo: begunWith } = await before.snapshot(0)
    const { code, stderr, stdout } = await first.stop()
    expect({ code, stderr }).toEqual(stopped)
    expect(stdout).toContain(JSON.stringify({ type: 'ended', file: join(out, 'chain.json') }))
    const text = await chainText(out)
    const stored = LocalChain.import(text)
    expect(stored.height).toBeGreaterThan(seen.number)

    const second = localnet(out, '--miners', '1')
    const { url, block } = await servingOf(second)
    expect(block).toBe(stored.height)
    const after = await remoteChain(url, { fetch })
    expect([after.genesis, await after.blockHash(seen.number)]).toEqual([before.genesis, seen.hash])
    const { commitments, neurons, tempo } = await after.snapshot(after.height)
    expect(commitments).toEqual([expect.objectContaining({ fields: [field('said')] })])
    expect([neurons.length, tempo]).toEqual([2, begunWith])
    expect(Object.keys(await after.weights(after.height))).toEqual([validator.hotkey])
    await after.commit(miner, [field('said again')])
    expect(await second.stop()).toMatchObject(stopped)
    expect((await chainText(out)).startsWith(text)).toBe(true)
    expect((await readdir(join(out, 'keys'))).sort()).toEqual(keys)
    expect((await readdir(out)).sort()).toEqual(['.gitignore', 'chain.json', 'keys', 'lock'])
  })

  it('includes pending transactions in its last block', async () => {
    const out = fresh()
    const chain = localnet(out, '--block-ms', '60000')
    const { url } = await servingOf(chain)
    const miner = await keyOf(out, 'miner-1')
    let sent: Promise<unknown> | undefined
    await new Promise<void>((taken, failed) => {
      const noting: typeof fetch = async (input, init) => {
        const response = await fetch(input, init)
        if (String(init?.body).includes('submit')) taken()
        return response
      }
      const commit = async () =>
        (await remoteChain(url, { fetch: noting })).commit(miner, [field('late')])
      sent = commit().catch((error: Error) => error)
      sent.then(failed)
    })
    expect(await chain.stop()).toMatchObject(stopped)
    expect(await sent).toMatchObject({ code: 'Unreachable' })
    const { commitments } = await LocalChain.import(await chainText(out)).snapshot(1)
    expect(commitments).toEqual([expect.objectContaining({ hotkey: miner.hotkey, block: 1 })])
  })

  it('adds one more miner with --miners, which remains in later runs', async () => {
    const out = await copyEnded()
    const first = LocalChain.import(await chainText(out))
    const second = start(AF, wordsFor(out, '--miners', '3'))
    const { url, block, neurons } = await servingOf(second)
    const { hotkey } = await keyOf(out, 'miner-3')
    const key = join(out, 'keys', 'miner-3')
    const hotkeys = (await first.snapshot(0)).neurons.map(({ hotkey }) => hotkey)
    expect(neurons.map(({ hotkey }: Account) => hotkey)).toEqual([...hotkeys, hotkey])
    expect(block).toBeGreaterThan(first.height)
    const added = { uid: 3, hotkey, stake: '0', permit: false, registered: block }
    expect(neurons[3]).toMatchObject(added)
    expect((await stat(key)).mode & 0o777).toBe(0o600)
    const miner = startAf(['miner', '--port', '0', '--network', url, '--key', key, '--json'])
    await miner.says(/"type":"committed"/)
    const ends = [await miner.stop(), await second.stop('SIGKILL')]
    const secret = await readFile(key, 'utf8')
    for (const { stdout, stderr } of ends) expect(stdout + stderr).not.toContain(secret)
    const third = localnet(out)
    expect((await servingOf(third)).neurons[3]).toMatchObject(added)
    await third.stop()
  })

  it('rejects other numbers of validators or uids, and fewer miners; accepts equal numbers', async () => {
    const out = await copyEnded()
    const file = await chainText(out)
    for (const [option, got, expected] of [
      ['validators', '2', '1'],
      ['miners', '1', 'at least 2'],
      ['max-uids', '1', '256'],
    ] as const) {
      const { code, stdout, stderr } = await refused('--out', out, `--${option}`, got)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(`af: "--${option}" expected ${expected}, `)
      expect(stderr).toMatch(new RegExp(`, got ${got}\n$`))
    }
    expect(await chainText(out)).toBe(file)
    const same = localnet(out, '--validators', '1', '--miners', '2')
    await servingOf(same)
    await same.stop()
  })

  it('reports an altered chain and leaves it unchanged', async () => {
    const out = await copyEnded()
    const altered = (await chainText(out)).replace(/(?<="entropy":")./, (digit) =>
      digit === '0' ? '1' : '0',
    )
    const file = await writeIn(out, altered, 'chain.json')
    const { code, stderr } = await refused('--out', out)
    expect(code).toBe(4)
    expect(stderr).toMatch(new RegExp(`^af: ${file} was altered \\(BadLog: .*\\): .*\n$`))
    expect(await chainText(out)).toBe(altered)
  })

  it('rejects a folder in which chain.json is not a file', async () => {
    const file = join(fresh(), 'chain.json')
    await mkdir(file, { recursive: true })
    const { code, stderr } = await refused('--out', dirname(file))
    expect([code, stderr]).toEqual([2, expect.stringContaining(`af: ${file} expected to be `)])
  })
})

it('a validator whose localnet ends reports the missing node, continues with the chain, and can be stopped without it', async () => {
  const out = await copyEnded()
  const chain = localnet(out)
  const { url } = await servingOf(chain)
  const own = ['--folder', 'v', '--buckets', 'buckets', '--key', 'keys/validator-1']
  const validator = start(AF, ['validate', '--network', url, ...own], { cwd: out })
  await validator.says(/"type":"sent","task":{"kind":"attest"/)
  await chain.stop()
  await validator.says(/"type":"problem","task":{"kind":"node"}/)
  const again = localnet(out, '--port', new URL(url).port)
  const { block } = await servingOf(again)
  await validator.says(/"kind":"node"(.|\n)*"type":"sent","task":{"kind":"attest"/)
  const sent = parseRecords(validator.stdout()).filter(({ type }) => type === 'sent')
  expect(sent.at(-1)?.block).toBeGreaterThan(block)
  await again.stop()
  expect(await validator.stop()).toMatchObject(stopped)
})
