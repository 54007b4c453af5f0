#!/usr/bin/env node
import { readFile } from 'node:fs/promises'
import { type Chain, LocalChain, remoteChain } from '@affine/chain'
import { stateRoot } from '@affine/duel'
import { Command, CommanderError } from '@commander-js/extra-typings'
import { epochText, shortHotkey } from './epoch-text.ts'
import { networkOf } from './network.ts'
import { type Flaw, type Recomputed, recompute } from './recompute.ts'
import { finds, type SampleSearch, sampleText } from './sample-search.ts'
import { openBucket } from './sources.ts'
import { printable, share } from './text.ts'

const EXAMPLES = `
Examples:
  $ af-verify ./buckets --chain chain.json
  $ af-verify ./buckets --chain chain.json --epoch 2
  $ af-verify ./buckets --chain chain.json --epoch 2 --sample mult8@0.1.0#0
  $ af-verify https://example.org/buckets --chain http://127.0.0.1:9944

Exit codes: 0 all holds, 1 something does not, 2 wrong usage. A validator whose samples were statistically far from the
others' is named, but its bytes hold: that alone is not a failure.`

const program = new Command('af-verify')
  .description('Recompute a subnet from its public data, byte by byte, and say what holds.')
  .version('0.1.0')
  .argument('[buckets]', 'folder or URL that holds the buckets announced by name; not needed for https buckets')
  .requiredOption('--chain <file|url>', "the chain's export, or where `af localnet` serves it")
  .option('--network <name>', 'whose rules', 'local')
  .option('--epoch <n>', 'show this epoch only')
  .option('--validator <hotkey>', 'show samples of this validator only')
  .option('--block <hash>', 'show the samples of this block')
  .option('--challenge <id>', 'show the sample of this challenge')
  .option('--sample <env#index>', 'show these samples')
  .option('--json', 'one JSON object a line')
  .addHelpText('after', EXAMPLES)
  .exitOverride()
  .showHelpAfterError('(see --help)')

try {
  program.parse()
  process.exitCode = await verify(program.args[0], program.opts())
} catch (error) {
  if (!(error instanceof CommanderError)) process.stderr.write(`af-verify: ${printable(String(error), 1000)}\n`)
  process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : 1
}

interface Options extends SampleSearch {
  readonly chain: string
  readonly network: string
  readonly epoch?: string | undefined
  readonly json?: true | undefined
}

async function verify(base: string | undefined, options: Options): Promise<number> {
  const say = (text: string, record: object): void => {
    process.stdout.write(`${options.json ? JSON.stringify(record, decimal) : text}\n`)
  }
  const only = options.epoch === undefined ? undefined : Number(options.epoch)
  if (only !== undefined && !Number.isSafeInteger(only))
    throw new RangeError(`"--epoch" expected a number, got ${options.epoch}`)
  const network = networkOf(options.network)
  const chain: Chain = /^https?:/.test(options.chain)
    ? await remoteChain(options.chain)
    : LocalChain.import(await readFile(options.chain, 'utf8'))
  const searching = options.block ?? options.challenge ?? options.sample
  const flaws: Flaw[] = []
  const apart = new Map<string, number>()
  let shown = 0
  let found: { text: readonly string[]; record: object }[] = []
  let end: Recomputed | undefined
  const epochs = recompute({
    chain,
    network,
    openBucket: (hotkey, url) => openBucket(hotkey, url, base),
    onSample: (sample, where) => {
      if (finds(options, sample, where))
        found.push({ text: sampleText(sample, where), record: { type: 'sample', ...where, sample } })
    },
  })
  for await (const recomputed of epochs) {
    end = recomputed
    const { epoch, report, state } = recomputed
    flaws.push(...recomputed.flaws)
    for (const [hotkey, lane] of Object.entries(report.lanes)) {
      if (lane.setAside.length > 0) apart.set(hotkey, (apart.get(hotkey) ?? 0) + 1)
    }
    if (only === undefined || only === epoch) {
      if (searching === undefined) {
        say(epochText(recomputed, shortHotkey).join('\n'), { type: 'epoch', epoch, root: stateRoot(state), report })
      }
      for (const { text, record } of found) say(text.join('\n'), record)
      shown += found.length
      for (const flaw of recomputed.flaws) say(flawText(flaw), { type: 'flaw', ...flaw })
    }
    found = []
  }
  if (searching !== undefined && shown === 0) throw new Error(`no sample matches ${searching}`)
  if (end === undefined) throw new Error('the chain has not closed an epoch yet')
  const { state } = end
  const lines = [
    '',
    `champion   ${state.champion?.hotkey ?? 'none'}`,
    `ratio      ${share(state.ratio)}`,
    `state root ${stateRoot(state)}, governing epoch ${state.epoch}`,
    ...[...apart].sort().map(([hotkey, n]) => `${hotkey}: its samples did not agree with the others' in ${n} epochs`),
    flaws.length === 0 ? 'Everything holds.' : `${flaws.length} things do not hold; see ✘ above.`,
  ]
  const disagreed = Object.fromEntries(apart)
  say(lines.join('\n'), {
    type: 'end',
    champion: state.champion,
    root: stateRoot(state),
    disagreed,
    flaws: flaws.length,
  })
  return flaws.length === 0 ? 0 : 1
}

function flawText({ epoch, validator, code, detail }: Flaw): string {
  return `  ✘ epoch ${epoch}, ${validator}: ${code}: ${printable(detail)}`
}

/** Tallies are BigInt: in JSON they are decimal strings. */
function decimal(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
