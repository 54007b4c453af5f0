import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { AF, AF_VERIFY, killAll, type ProcessResult, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'

const root = testFolder('leaving')

afterAll(killAll)

const NODE = `'${process.execPath}'`

/** Runs a command, and closes its output immediately. */
function unread(program: string, ...words: readonly string[]): Promise<ProcessResult> {
  const { child, ended } = start(program, words, { cwd: root })
  child.stdout?.destroy()
  return ended
}

function inBash(line: string): Promise<ProcessResult> {
  return new Promise((resolve) => {
    const child = execFile('bash', ['-c', line], { cwd: root }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })
}

describe.concurrent('standard output', () => {
  it.each([
    [AF, ['env', 'list', '--json']],
    [AF, ['--help']],
    [AF_VERIFY, ['--help']],
  ])('without a reader ends a command silently with 0: %s %j', async (...[program, words]) => {
    const { code, stderr } = await unread(program, ...words)
    expect([code, stderr]).toEqual([0, ''])
  })

  it.each([
    [AF, 'env list --json'],
    [AF_VERIFY, '--help'],
  ])('closed after its first line ends a command with 0: %s %s', async (...[program, words]) => {
    const line = `${NODE} '${program}' ${words} | head -n 1; echo "$PIPESTATUS"`
    const { code, stdout, stderr } = await inBash(line)
    expect([code, stdout.split('\n').slice(1), stderr]).toEqual([0, ['0', ''], ''])
  })

  it.each([
    [AF, 'env list', 'af'],
    [AF, '--help', 'af'],
    [AF_VERIFY, '--version', 'af-verify'],
  ])('on a full disk ends a command with 4 and one line: %s %s', async (program, words, name) => {
    const { code, stderr } = await inBash(`${NODE} '${program}' ${words} > /dev/full`)
    expect(code).toBe(4)
    expect(stderr).toMatch(new RegExp(`^${name}: standard output: ENOSPC: [^\\n]+\\n$`))
  })
})

describe.concurrent('a node that never answers', () => {
  const place = ['--netuid', '1', '--first-epoch', '0']
  it.each([
    ['af status', AF, ['status', '--json', ...place]],
    ['af validate', AF, ['validate', ...place, '--folder', 'f', '--buckets', 'b']],
    ['af miner', AF, ['miner', '--port', '0', '--netuid', '1']],
    ['af-verify', AF_VERIFY, place],
  ])('makes %s report that it waits, until Ctrl-C', async (...[, program, words]) => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const url = `ws://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const place = { cwd: root, env: { AFFINE_HOTKEY: '01'.repeat(32) } }
    const { child, stop } = start(program, [...words, '--network', url], place)
    const printed = child.stderr === null ? [] : await once(child.stderr, 'data')
    expect(printed).toEqual([`waiting for ${url}: no answer yet\n`])
    expect(await stop()).toMatchObject({ code: 130, stderr: '' })
    silent.close()
  })
})
