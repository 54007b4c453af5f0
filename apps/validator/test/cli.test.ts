import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { account } from '@affine/chain'
import { afterAll, describe, expect, it } from 'vitest'
import { fakeNode } from '../../../packages/chain/test/fake-node.ts'
import { completion, sends, serve } from '../../../packages/miners/test/servers.ts'
import type { Written } from '../../../packages/terminal/test/within.ts'
import { runAf, runVerifier } from '../../../test/in-process.ts'
import { AF, AF_VERIFY, killAll, type ProcessResult, run, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers, listen } from '../../../test/web-server.ts'
import { createChain, findUnprintable, writeIn } from './commands.ts'

const NOWHERE = 'http://127.0.0.1:1'
const SECRET = 'ab'.repeat(32)
const { hotkey: HOTKEY } = account(Buffer.from(SECRET, 'hex'))
const root = testFolder('af')
const KEY = join(root, 'key')
writeFileSync(KEY, SECRET, { mode: 0o600 })
let count = 0

afterAll(closeServers)
afterAll(killAll)

const af = (...words: readonly string[]): Promise<Written> => runAf(words, { cwd: root })
const fresh = (): string => join(root, String(count++))
function createFolder(): string {
  const folder = fresh()
  mkdirSync(folder)
  return folder
}

/** Expects this exit code, and at most two lines for people, without a stack. */
function expectClear({ code, stderr }: Written, exitCode: number, words: string): void {
  expect([code, stderr]).toEqual([exitCode, expect.stringContaining(words)])
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2)
}

it.each([
  ['HTTPS_PROXY', 'af', runAf],
  ['https_proxy', 'af-verify', runVerifier],
  ['HTTP_PROXY', 'af-verify', runVerifier],
  ['all_proxy', 'af', runAf],
] as const)('a proxy in the environment is named and not used: %s', async (name, program, run) => {
  const env = { [name]: 'http://me:s3cret@proxy.example:3128', NO_PROXY: 'x' }
  const words = program === 'af' ? ['status'] : []
  const { stderr } = await run([...words, '--network', 'none.json'], { cwd: root, env })
  expect(stderr).toMatch(new RegExp(`^${program}: ${name} is not used: .*\n`))
  expect(stderr).not.toContain('s3cret')
})

const COMMANDS = `,commit,demo,doctor,duel,env,env list,env run,explain,localnet,miner,practise,
serve,setup,status,validate`.split(/,\s*/)
it.each(COMMANDS)('--help of "af %s" prints examples in 80 columns', async (command) => {
  const words = command === '' ? [] : command.split(' ')
  const { code, stdout, stderr } = await af(...words, '--help')
  expect([code, stderr]).toEqual([0, ''])
  const usage = ['af', ...words].join(' ')
  const examples = `Examples:\n(?: {2}.*\n)* {2}\\$ ${usage}.*\n(?: {2}.*\n)*`
  const order = `^.+\n\n${examples}\nUsage: ${usage} .*\n\n(?:Arguments:\n[^]*)?Options:\n`
  expect(stdout).toMatch(new RegExp(order))
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  expect(stdout).toMatch(/^ {2}-h, --help +show this help$/m)
  if (stdout.includes('--netuid'))
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('(default: 120 on finney')
})

describe('the help of a whole program', () => {
  it('fits 36 lines of 80 columns', async () => {
    const { stdout } = await af('--help')
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(36)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  it.each(['validator', 'verifier'])('loads no command and no large library: %s', async (name) => {
    const folder = fresh()
    const program = fileURLToPath(new URL(`../../${name}/src/cli.ts`, import.meta.url))
    await run(program, ['--help'], { cwd: root, env: { NODE_V8_COVERAGE: folder } })
    const texts = (await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8'))
    const scripts = (await Promise.all(texts)).flatMap((text) => JSON.parse(text).result)
    const urls: readonly string[] = scripts.map(({ url }) => url)
    const heavy = /@polkadot|@noble\/curves|(?<!terminal|prng)\/src\/(index\.ts|commands|settings)/
    expect(urls).toContainEqual(expect.stringContaining('packages/terminal/src/run.ts'))
    expect(urls.filter((url) => heavy.test(url))).toEqual([])
  })
})

describe('wrong usage', () => {
  /** Returns what `af` prints for each line, and expects the exit code 2 and this output. */
  async function refusals(lines: readonly string[], output: object): Promise<string> {
    const screens: string[] = []
    for (const line of lines) {
      const ended = await af(...line.split(' '))
      expect(ended, line).toMatchObject({ code: 2, ...output })
      screens.push(`$ af ${line}\n${ended.stderr}`)
    }
    return screens.join('\n')
  }
  const wrong = [
    'demo --nope',
    'status --nope',
    'status --netwrk c',
    'commit --modle x',
    'env run --seed 1 --challenge 1 --nope',
    'nope',
    'help statsu',
    'nope --help',
    'env lst',
    'duel 0.5',
    'miner --port 65536',
    'localnet nope',
    'env run mult8-v0 --agent perfect --challenge x',
    'env run mult8-v0 --agent perfect --seed 1.5',
    'env run mult8-v0 --agent perfect --seed=-1',
    `env run mult8-v0 --agent perfect --seed ${2n ** 128n}`,
    `env run mult8-v0 --seed 7 --challenge ${'1'.repeat(32)}`,
    'doctor --key k',
    'validate --folder f --buckets b --key k',
    'explain --network c',
    'explain --network c --hotkey 1 --last 0',
  ]
  it('exits with 2, a reason and a hint at --help', async () => {
    const stderr = expect.stringContaining('(see --help)')
    const screens = await refusals(wrong, { stdout: '', stderr })
    await expect(screens).toMatchFileSnapshot('snapshots/wrong-usage.txt')
  })

  const refused = [
    'env run mult8-v0 --agent nobody',
    'practise 127.0.0.1:8001/v1',
    'practise http://127.0.0.1:8001/v1?x=1',
    'practise http://127.0.0.1:8001/v1#x',
    'duel 0.5 localhost:8001 --out d',
    'env run chess-v0 --agent perfect',
    'env run Tic-Tac-Toe --agent perfect',
    'env run hex@0.2.0 --agent perfect',
    'practise 1 --env chess-v0',
    'practise 0.5 --last 3',
    'practise 0.5 --first-epoch 3 --netuid 7',
    'practise 0.5 --first-epoch 3',
    'practise 0.5 --buckets b',
    'env run mult8-v0 --strength 0.5',
    'practise 1 --env mult8-v0 --strength 0.5',
    'miner --network http://127.0.0.1:1',
    'miner --network http://127.0.0.1:1 --key no/key',
    'miner --key k',
  ]
  it('exits with 2 and at most two lines for a refused value or a missing option', async () => {
    const screens = await refusals(refused, { stderr: expect.stringMatching(/^.+\n(.+\n)?$/) })
    await expect(screens).toMatchFileSnapshot('snapshots/refused-values.txt')
  })

  it.each([
    'validate --folder f --buckets b',
    'commit --model m/HOTKEY --revision main --chute c',
    'setup --folder f --buckets b',
    'miner --port 0',
  ])('"af %s" rejects the file of a chain', async (words) => {
    const chain = await writeIn(root, createChain({}).export())
    const env = { AFFINE_HOTKEY: SECRET }
    const line = `${words.replace('HOTKEY', HOTKEY)} --network ${chain}`.split(' ')
    const ended = await runAf(line, { cwd: createFolder(), env })
    expectClear(ended, 2, '"network" expected a live chain')
  })

  it('changes no file in a folder that is not empty', async () => {
    const out = fresh()
    await writeIn(out, 'precious', 'mine')
    const wanted = { demo: 'an empty folder', localnet: 'an empty folder, or that' }
    for (const [command, folder] of Object.entries(wanted)) {
      const ended = await af(command, '--out', out)
      expectClear(ended, 2, `"--out" expected ${folder}`)
      expect(ended.stderr).toContain(`, got ${out}\n`)
    }
    expect((await readdir(out)).sort()).toEqual(['lock', 'mine'])
    expect(await readFile(join(out, 'mine'), 'utf8')).toBe('precious')
  })
})

describe('a command', () => {
  it('reports an unreachable chain, and leaves only .gitignore and a lock file in its folder', async () => {
    const [folder, account] = [fresh(), ['--network', NOWHERE, '--key', KEY]]
    const ends = await Promise.all([
      af('miner', '--port', '0', ...account),
      af('validate', ...account, '--folder', folder, '--buckets', 'buckets'),
      af('status', '--network', NOWHERE, '--buckets', 'buckets'),
    ])
    const reason = `af: Unreachable: no chain answers at ${NOWHERE}`
    for (const ended of ends) expectClear(ended, 4, reason)
    expect((await readdir(folder)).sort()).toEqual(['.gitignore', 'lock'])
  })

  it('reports an unreachable URL without the user name and password in it', async () => {
    const where = ['--network', 'http://me:s3cret@127.0.0.1:1']
    const player = 'http://me:s3cret@127.0.0.1:1/v1'
    const ends = [
      await af('status', ...where),
      await af('doctor', ...where, '--key', KEY),
      await af('doctor', ...where, '--key', KEY, '--json'),
      await af('env', 'run', 'mult8-v0', '--agent', player),
    ]
    expect(ends.map(({ code }) => code)).toEqual([4, 1, 1, 4])
    for (const { stdout, stderr } of ends) {
      expect(stdout + stderr).toContain('http://****@127.0.0.1:1')
      expect(stdout + stderr).not.toContain('s3cret')
    }
  })

  it('ends with 4 if a player is unreachable, and stores nothing', async () => {
    const url = `${NOWHERE}/v1`
    const [out, other] = [fresh(), fresh()]
    const ends = await Promise.all([
      af('env', 'run', 'mult8-v0', '--agent', url),
      af('duel', url, '0.5', '--out', out),
      af('duel', '0.5', url, '--out', other),
      af('practise', url),
    ])
    for (const ended of ends) expectClear(ended, 4, `${url} gives no usable`)
    for (const folder of [out, other])
      expect((await readdir(folder)).sort()).toEqual(['.gitignore', 'lock'])
  })
})

it('a pipe or a device is rejected as a chain, and a pipe as settings', async () => {
  const cwd = createFolder()
  execFileSync('mkfifo', [join(cwd, 'pipe')])
  for (const chain of ['pipe', '/dev/zero']) {
    const ended = await runAf(['status', '--network', chain], { cwd })
    expectClear(ended, 2, `got "${chain}"`)
  }
  execFileSync('mkfifo', [join(cwd, '.env')])
  const ended = await runAf(['doctor'], { cwd })
  expectClear(ended, 2, '.env expected to be')
})

/** Returns metadata of a node with an invalid type of this name, and a value of this type. */
function oddMetadata(name: string): string {
  const text = (of: string): string => {
    const bytes = Buffer.from(of)
    return Buffer.from([4 * bytes.length, ...bytes]).toString('hex')
  }
  const named = `01${text(name)}040000` // a field, of type 1
  const types = `08 00 04${text(name)}00 00 08${named} 00040000 00 04 00 00 05 03 00`
  const storage = `01${text('System')}04 ${text('Number')}0000 00 04 00 00`
  const pallets = `04${text('System')}${storage}00 00 00 00 00`
  return `0x6d6574610e${types}${pallets} 04 04 00 04`.replaceAll(' ', '')
}

it('names in the metadata of a node are escaped for the terminal, also if a library prints them', async () => {
  const node = await fakeNode()
  node.replies.state_call = () => ({ error: { code: -32601, message: 'Method not found' } })
  node.replies.state_getMetadata = () => ({ result: oddMetadata('\u009b2J\u202eabc') })
  const words = ['status', '--network', node.url, '--netuid', '1', '--first-epoch', '0']
  const { code, stdout, stderr } = await run(AF, words, { cwd: root })
  await node.stop()
  expect([code, stdout]).toEqual([4, ''])
  expect(stderr).toMatch(/API\/INIT: .* Error extracting {"path":\["[^"]*abc"\]/)
  expect(findUnprintable(stderr)).toEqual([])
})

it.each([[], ['--json']])('a miner’s text is escaped, also with --json: %#', async (...format) => {
  const hostile = '\u001b]0;owned\u0007\u001b[2J\u009b31mred\u202e\u200bx\r\nA1'
  const { url } = await serve(sends(200, completion(hostile)))
  const ended = await af('env', 'run', 'tictactoe-v0', '--agent', url, ...format)
  expect(ended.code).toBe(0)
  expect(ended.stdout).toContain('red')
  expect(findUnprintable(ended.stdout + ended.stderr)).toEqual([])
})

it('Ctrl-C ends a demo during sampling with 130 and removes its files', async () => {
  const TMPDIR = createFolder()
  const demo = start(AF, ['demo'], { cwd: root, env: { TMPDIR } })
  await demo.says(/^epoch 0 /m)
  expect(await readdir(TMPDIR)).toEqual([expect.stringMatching(/^affine-demo-/)])
  const { code, stdout, stderr } = await demo.stop()
  expect([code, stderr]).toEqual([130, ''])
  expect(stdout).not.toContain('Try next')
  expect(await readdir(TMPDIR)).toEqual([])
})

function inBash(line: string): Promise<ProcessResult> {
  return new Promise((resolve) => {
    const child = execFile('bash', ['-c', line], { cwd: root }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })
}

describe.concurrent('standard output', () => {
  const NODE = `'${process.execPath}'`
  it.each([
    [AF, 'env list --json', 'true'],
    [AF, 'env list --json', 'head -n 1'],
    [AF_VERIFY, '--help', 'true'],
  ])('closed by its reader ends a command with 0: %s %s | %s', async (program, words, reader) => {
    const line = `${NODE} '${program}' ${words} | ${reader} >/dev/null; echo "$PIPESTATUS"`
    expect(await inBash(line)).toEqual({ code: 0, stdout: '0\n', stderr: '' })
  })

  it.each([
    [AF, 'env list', 'af'],
    [AF_VERIFY, '--version', 'af-verify'],
  ])('on a full disk ends a command with 4 and one line: %s %s', async (program, words, name) => {
    const { code, stderr } = await inBash(`${NODE} '${program}' ${words} > /dev/full`)
    expect(code).toBe(4)
    expect(stderr).toMatch(new RegExp(`^${name}: standard output: ENOSPC: [^\\n]+\\n$`))
  })
})

it.concurrent.each(['status --json', 'validate --folder f --buckets b'])(
  'a node that never answers makes "af %s" report that it waits, until Ctrl-C',
  async (words) => {
    const url = (await listen(createServer())).replace('http', 'ws')
    const line = `${words} --netuid 1 --first-epoch 0 --network ${url}`.split(' ')
    const { child, stop } = start(AF, line, { cwd: root, env: { AFFINE_HOTKEY: SECRET } })
    const printed = child.stderr === null ? [] : await once(child.stderr, 'data')
    expect(printed).toEqual([`waiting for ${url}: no answer yet\n`])
    expect(await stop()).toMatchObject({ code: 130, stderr: '' })
  },
)
