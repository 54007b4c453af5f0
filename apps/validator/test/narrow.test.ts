import { cp, writeFile } from 'node:fs/promises'
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
import { runCommand } from './commands.ts'
import { type PlayedSubnet, playSubnetOnce, TWO_MINERS } from './played-subnet.ts'

const { isTTY, columns } = process.stdout
const WIDTHS = [40, 80]
const COMMANDS = ['demo', 'duel', 'practise', 'env run', 'explain', 'validate']
const root = testFolder('narrow')
const KEY = join(root, 'key')
let subnet: PlayedSubnet
let over: readonly string[]
/** The output of `af demo`. */
const demo = new Command('demo').action(() => {
  for (const text of subnet.printed) output().line(text, {})
})

beforeAll(async () => {
  await writeFile(KEY, 'ab'.repeat(32), { mode: 0o600 })
  subnet = await playSubnetOnce(TWO_MINERS)
  // A copy, because `af doctor` writes to its bucket.
  const buckets = join(root, 'buckets')
  await cp(subnet.buckets, buckets, { recursive: true })
  over = ['--network', subnet.chainFile, '--buckets', buckets]
})
afterEach(() => void Object.assign(process.stdout, { isTTY, columns }))
afterAll(killAll)

/**
 * Returns the lines that are wider than the terminal, except commands, which the terminal wraps.
 * Statuses that overwrite each other are separate lines.
 */
function wider(text: string, width: number): readonly string[] {
  const lines = stripVTControlCharacters(text.replaceAll('\r', '\n')).split('\n')
  return lines.filter((line) => [...line].length > width && !/^ *\$ /.test(line))
}

async function runIn(width: number, command: CommandUnknownOpts, words: readonly string[]) {
  Object.assign(process.stdout, { isTTY: true, columns: width })
  return runCommand(command, ...words)
}

describe.each(WIDTHS)('in a terminal of %i columns', (width) => {
  it.each<[string, CommandUnknownOpts, readonly string[]]>([
    ['status', status, []],
    ['explain', explain, ['--hotkey', '5', '--verbose']],
    ['doctor', doctor, ['--key', KEY, '--folder', '/var/lib/affine/validator']],
    ['env list', env, ['list']],
    ['demo', demo, []],
  ])('no line of af %s is wider than the terminal', async (name, command, words) => {
    const isOver = !['env list', 'demo'].includes(name)
    const { stdout, error } = await runIn(width, command, isOver ? [...words, ...over] : words)
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

describe.skipIf(!HAS_TERMINALS)('colour', () => {
  const over = (): string[] => [subnet.buckets, '--network', subnet.chainFile]
  const words = (): string[] => [...over(), '--to-epoch', '2']
  const columns = 80

  it('appears in a terminal, except with NO_COLOR or in JSON', async () => {
    const FORCED = { FORCE_COLOR: '1' }
    const plain = await inTerminal([AF_VERIFY, ...words()], { columns, env: { NO_COLOR: '1' } })
    const coloured = await inTerminal([AF_VERIFY, ...words()], { columns })
    const json = await inTerminal([AF_VERIFY, ...words(), '--json'], { columns, env: FORCED })
    expect(plain.stdout).toContain('No problems found.')
    expect(plain.stdout).not.toContain('\u001b[3')
    expect(coloured.stdout).toContain('\u001b[32mNo problems found.\u001b[39m')
    expect(json.stdout).not.toContain('\u001b')
  })
})
