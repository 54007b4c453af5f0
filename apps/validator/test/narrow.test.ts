import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { output } from '@affine/terminal'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runAf, runVerifier } from '../../../test/in-process.ts'
import { AF_VERIFY } from '../../../test/processes.ts'
import { HAS_TERMINALS, inTerminal } from '../../../test/terminal.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { doctor } from '../src/commands/doctor.ts'
import { env } from '../src/commands/env.ts'
import { explain } from '../src/commands/explain.ts'
import { status } from '../src/commands/status.ts'
import { narrate } from '../src/service/narrate.ts'
import { runCommand, writeIn } from './commands.ts'
import { formatStory, playSubnetOnce, recomputeIn } from './played-subnet.ts'

const { isTTY, columns } = process.stdout
const WIDTHS = [40, 80]
const root = testFolder('narrow')
const KEY = join(root, 'key')
const subnet = await playSubnetOnce()
const epochs = await recomputeIn(subnet.folder)
/** Prints the story of `af demo` and, as with `--verbose`, every epoch. */
const demo = new Command('demo').action(() => {
  output().line(formatStory(epochs), {})
  for (const settled of epochs) narrate({ type: 'epoch', settled }, output(), String)
})

beforeAll(async () => {
  await writeIn(root, 'ab'.repeat(32), 'key')
  // A copy, because `af doctor` writes to its bucket.
  await cp(subnet.buckets, join(root, 'buckets'), { recursive: true })
})
afterEach(() => void Object.assign(process.stdout, { isTTY, columns }))

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
    for (const { code, stdout } of [await runAf(['demo', '--help']), await runVerifier(['--help'])])
      expect([code, wider(stdout, width)]).toEqual([0, []])
  })
})

it.skipIf(!HAS_TERMINALS)(
  'a process knows the width of its terminal, and prints colours',
  async () => {
    const words = [AF_VERIFY, subnet.buckets, '--network', subnet.chainFile]
    const { code, stdout } = await inTerminal(words, { columns: 40 })
    expect([code, wider(stdout, 40)]).toEqual([0, []])
    expect(stdout).toContain('\u001b[32mNo problems found.\u001b[39m')
  },
)
