import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stateRoot } from '@affine/duel'
import { interrupted, output, raceAbort, share, shortHotkey } from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { castOf, LIAR, runSubnet } from '../demo/subnet.ts'
import { narrate } from '../narrate.ts'
import { emptyFolder } from './options.ts'

/** `af demo`: a whole subnet in one process, then its verification in another. */
export const demo: CommandUnknownOpts = new Command('demo')
  .description('run a local subnet to its verdict, then verify it from its public data')
  .option('--seed <text>', 'repeat a run: the same keys, challenges, replies and verdicts')
  .option(
    '--out <folder>',
    'where to leave buckets and chain: a folder that is empty or not there yet',
  )
  .option('--json', 'one JSON object a line')
  .addHelpText('after', '\nExamples:\n  $ af demo\n  $ af demo --seed 7 --out ./seven')
  .action(async ({ seed = String(randomInt(2 ** 32)), out: folder, json }) => {
    const [screen, signal] = [output(json), interrupted()]
    const out = await emptyFolder(folder ?? (await mkdtemp(join(tmpdir(), 'affine-demo-'))))
    const cast = castOf(seed)
    const members = [...cast.validators, ...cast.miners]
    const names = new Map(members.map(({ name, account }) => [account.hotkey, name]))
    const nameOf = (hotkey: string): string => names.get(hotkey) ?? shortHotkey(hotkey)
    const people = members.map(({ name, account, skill }) => {
      const role = skill === undefined ? 'validator' : `miner of skill ${skill}`
      return `${name.padEnd(9)} ${account.hotkey} ${role}${name === LIAR ? ' that makes its transcripts up' : ''}`
    })
    screen.line([`seed ${seed}`, ...people, ''].join('\n'), { type: 'start', seed, people })
    const subnet = runSubnet(cast, out, (member, event) => {
      if (event.type === 'problem' || (event.type !== 'sent' && member === cast.validators[0]))
        narrate(event, screen, nameOf)
    })
    const { chain, state } = await raceAbort(subnet, signal)

    const champion = state.champion?.hotkey ?? ''
    const { number } = await chain.head()
    const weights = await chain.weights(number)
    const uid = (await chain.snapshot(number)).neurons.find(
      ({ hotkey }) => hotkey === champion,
    )?.uid
    const full = Object.values(weights).filter((row) => row.length === 1 && row[0]?.[0] === uid)
    const root = stateRoot(state)
    const end = `
champion   ${nameOf(champion)} (${champion})
ratio      ${share(state.ratio)}
state root ${root}
weights    ${full.length} of ${Object.keys(weights).length} validators give uid ${uid} all their weight on chain

Now the verifier, a process of its own, with nothing but the buckets and the exported chain:
`
    screen.line(end, { type: 'end', champion, ratio: state.ratio, root, weights })

    const [buckets, file] = [join(out, 'buckets'), join(out, 'chain.json')]
    const verifier = fileURLToPath(import.meta.resolve('@affine/verifier/cli'))
    const words = [
      ...process.execArgv,
      verifier,
      buckets,
      '--network',
      file,
      ...(json ? ['--json'] : []),
    ]
    const child = spawn(process.execPath, words, {
      stdio: ['ignore', 'inherit', 'inherit'],
      signal,
    })
    const [code] = await raceAbort(once(child, 'exit'), signal)
    process.exitCode = code ?? 1
    const data = `${buckets} --network ${file}`
    const next = `
Everything is in ${out}. Try next:
  verify again          npx af-verify ${data}
  look at one epoch     npx af-verify ${data} --epoch 2
  replay a challenge    npx af-verify ${data} --epoch 2 --sample mult8@0.1.0#0
  tamper with a byte    change one in any file under ${buckets}, and verify again
  play one yourself     npx af env run tictactoe-v0`
    screen.line(next, { type: 'files', out })
  })
