import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stateRoot } from '@affine/duel'
import { epochText, printable, share, shortHotkey } from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { type Cast, castOf } from '../demo/cast.ts'
import { runSubnet } from '../demo/subnet.ts'
import { interrupted, type Output, output } from '../output.ts'

/** `af demo`: a whole subnet in one process, then its verification in another. */
export const demo: CommandUnknownOpts = new Command('demo')
  .description('run a local subnet to its verdict, then verify it from its public data')
  .option('--seed <text>', 'repeat a run: the same keys, challenges, replies and verdicts')
  .option('--out <folder>', 'where to leave buckets and chain: a folder that is empty or not there yet')
  .option('--json', 'one JSON object a line')
  .addHelpText('after', '\nExamples:\n  $ af demo\n  $ af demo --seed 7 --out ./seven')
  .action(async (options) => {
    const seed = options.seed ?? String(randomInt(2 ** 32))
    const screen = output(options.json ?? false)
    const out = await emptyFolder(options.out)
    const cast = castOf(seed)
    const names = new Map([...cast.validators, ...cast.miners].map(({ name, account }) => [account.hotkey, name]))
    const nameOf = (hotkey: string): string => names.get(hotkey) ?? shortHotkey(hotkey)
    introduce(screen, seed, nameOf, cast)

    const subnet = await runSubnet({
      cast,
      seed,
      out,
      signal: interrupted(),
      on: (member, event) => {
        if (event.type === 'problem') {
          const text = `${member.name}: ${event.what}: ${printable(event.error.message)}`
          screen.line(text, { type: 'problem', validator: member.name, what: event.what, message: event.error.message })
        }
        const first = member === cast.validators[0]
        if (first && event.type === 'sample') {
          screen.status(`epoch ${event.epoch}: ${member.name} has ${event.left} challenges left in its lane`)
        }
        if (first && event.type === 'epoch') {
          const { before, state, report } = event.settled
          const root = stateRoot(state)
          screen.line(epochText(event.settled, nameOf).join('\n'), { type: 'epoch', epoch: before.epoch, root, report })
        }
      },
    })
    const { state, chain } = subnet
    const weights = await chain.weights((await chain.head()).number)
    const champion = state.champion?.hotkey ?? ''
    const { neurons } = await chain.snapshot((await chain.head()).number)
    const uid = neurons.find(({ hotkey }) => hotkey === champion)?.uid
    const full = Object.values(weights).filter((row) => row.length === 1 && row[0]?.[0] === uid).length
    screen.line(
      [
        '',
        `champion   ${nameOf(champion)} (${champion})`,
        `ratio      ${share(state.ratio)}`,
        `state root ${stateRoot(state)}`,
        `weights    ${full} of ${Object.keys(weights).length} validators give uid ${uid} all their weight on chain`,
        '',
        'Now the verifier, a process of its own, with nothing but the buckets and the exported chain:',
        '',
      ].join('\n'),
      { type: 'end', champion, ratio: state.ratio, root: stateRoot(state), weights },
    )
    const code = await verifyApart(subnet.buckets, subnet.chainFile, options.json ?? false)
    screen.line(whatNext(subnet.buckets, subnet.chainFile, out), { type: 'files', out })
    process.exitCode = code
  })

function introduce(
  screen: Output,
  seed: string,
  nameOf: (hotkey: string) => string,
  { validators, miners, liar }: Cast,
): void {
  const people = [
    `seed ${seed}`,
    ...validators.map(({ account }) => `validator ${nameOf(account.hotkey).padEnd(9)} ${account.hotkey}`),
    ...miners.map(
      ({ account, skill }) => `miner     ${nameOf(account.hotkey).padEnd(9)} ${account.hotkey}  skill ${skill}`,
    ),
    `${liar} makes its transcripts up: in them, the weaker miner of a duel always wins.`,
    '',
  ]
  const record = { validators: validators.map(named), miners: miners.map(named), liar }
  screen.line(people.join('\n'), { type: 'start', seed, ...record })
}

const named = ({ name, account }: { name: string; account: { hotkey: string } }) => ({ name, hotkey: account.hotkey })

async function emptyFolder(path: string | undefined): Promise<string> {
  if (path === undefined) return mkdtemp(join(tmpdir(), 'affine-demo-'))
  const folder = resolve(path)
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) throw new RangeError(`"--out" expected an empty folder, got ${folder}`)
  return folder
}

/** Runs `af-verify` as its own process; resolves with its exit code. */
function verifyApart(buckets: string, chain: string, json: boolean): Promise<number> {
  const verifier = fileURLToPath(import.meta.resolve('@affine/verifier/cli'))
  const words = [...process.execArgv, verifier, buckets, '--chain', chain, ...(json ? ['--json'] : [])]
  return new Promise((done, fail) => {
    spawn(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit'] })
      .once('error', fail)
      .once('exit', (code) => done(code ?? 1))
  })
}

function whatNext(buckets: string, chain: string, out: string): string {
  return `
Everything is in ${out}. Try next:
  verify again            npx af-verify ${buckets} --chain ${chain}
  look at one epoch       npx af-verify ${buckets} --chain ${chain} --epoch 2
  tamper with a byte      change one in any file under ${buckets}, and verify again
  play one yourself       npx af env run tictactoe-v0`
}
