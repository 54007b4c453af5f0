import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { output } from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runAf, runVerifier } from '../../../test/in-process.ts'
import { AF, AF_VERIFY, killAll } from '../../../test/processes.ts'
import { HAS_TERMINALS, inTerminal } from '../../../test/terminal.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { doctor } from '../src/commands/doctor.ts'
import { env } from '../src/commands/env.ts'
import { explain } from '../src/commands/explain.ts'
import { status } from '../src/commands/status.ts'
import { narrate } from '../src/service/narrate.ts'
import { runCommand, writeIn } from './commands.ts'
import { formatStory, type PlayedSubnet, playSubnetOnce, recomputeIn } from './played-subnet.ts'

const { isTTY, columns } = process.stdout
const WIDTHS = [40, 80]
const COMMANDS = ['demo', 'duel', 'practise', 'env run', 'explain', 'validate']
const root = testFolder('narrow')
const KEY = join(root, 'key')
let subnet: PlayedSubnet
/** Prints the story of `af demo` and, as with `--verbose`, every epoch. */
const demo = new Command('demo').action(async () => {
  const epochs = await recomputeIn(subnet.folder)
  output().line(formatStory(epochs), {})
  for (const settled of epochs) narrate({ type: 'epoch', settled }, output(), String)
})

beforeAll(async () => {
  await writeIn(root, 'ab'.repeat(32), 'key')
  subnet = await playSubnetOnce()
  // A copy, because `af doctor` writes to its bucket.
  await cp(subnet.buckets, join(root, 'buckets'), { recursive: true })
})
afterEach(() => void Object.assign(process.stdout, { isTTY, columns }))
afterAll(killAll)

/**
 * Returns the lines that are wider than the terminal, except commands, which the terminal wraps.
 * Statuses that overwrite each other count as separate lines.
 */
function wider(text: string, width: number): readonly string[] {
  const lines = stripVTControlCharacters(text.replaceAll('\r', '\n')).split('\n')
  return lines.filter((line) => [...line].length > width && !/^ *\$ /.test(line))
}

describe.each(WIDTHS)('in a terminal of %i columns', (width) => {
  it.each<[string, CommandUnknownOpts, string]>([
    ['status', status, 'CHAIN'],
    ['explain', explain, 'CHAIN --hotkey 5 --verbose'],
    ['doctor', doctor, `CHAIN --key ${KEY} --folder /var/lib/affine/validator`],
    ['env', env, 'list'],
    ['demo', demo, ''],
  ])('no line of af %s is wider than the terminal', async (_, command, line) => {
    Object.assign(process.stdout, { isTTY: true, columns: width })
    const over = `--network ${subnet.chainFile} --buckets ${join(root, 'buckets')}`
    const words = line.replace('CHAIN', over).split(' ').filter(Boolean)
    const { stdout, error } = await runCommand(command, ...words)
    expect(error).toBeUndefined()
    expect(stdout.split('\n').length).toBeGreaterThan(3)
    expect(wider(stdout, width)).toEqual([])
  })

  it('no line of help is wider than the terminal', async () => {
    Object.assign(process.stdout, { isTTY: true, columns: width })
    for (const command of ['', ...COMMANDS]) {
      const { code, stdout } = await runAf([...command.split(' '), '--help'].filter(Boolean))
      expect([command, code, wider(stdout, width)]).toEqual([command, 0, []])
    }
    const { code, stdout } = await runVerifier(['--help'])
    expect([code, wider(stdout, width)]).toEqual([0, []])
  })

  it.skipIf(!HAS_TERMINALS)('no line of a process is wider than the terminal', async () => {
    const programs = [
      [AF, 'validate', '--help'],
      [AF_VERIFY, subnet.buckets, '--network', subnet.chainFile],
    ]
    for (const words of programs) {
      const { code, stdout } = await inTerminal(words, { columns: width, cwd: root })
      expect([words, code, wider(stdout, width)]).toEqual([words, 0, []])
    }
  })
})

it.skipIf(!HAS_TERMINALS)(
  'colour appears in a terminal, except with NO_COLOR or in JSON',
  async () => {
    const words = [AF_VERIFY, subnet.buckets, '--network', subnet.chainFile, '--to-epoch', '2']
    const printed = async (env: Record<string, string>, ...more: readonly string[]) =>
      (await inTerminal([...words, ...more], { columns: 80, env })).stdout
    const plain = await printed({ NO_COLOR: '1' })
    expect(plain).toContain('No problems found.')
    expect(plain).not.toContain('\u001b[3')
    expect(await printed({})).toContain('\u001b[32mNo problems found.\u001b[39m')
    expect(await printed({ FORCE_COLOR: '1' }, '--json')).not.toContain('\u001b')
  },
)
