#!/usr/bin/env node
import { readFile } from 'node:fs/promises'
import { LocalChain, remoteChain } from '@affine/chain'
import { stateRoot } from '@affine/duel'
import { Command } from '@commander-js/extra-typings'
import { epochText, shortHotkey } from './epoch-text.ts'
import { networkOf } from './network.ts'
import { output, run } from './output.ts'
import { type Flaw, recompute } from './recompute.ts'
import { matches, sampleText } from './sample-search.ts'
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
  .option('--validator <hotkey>', 'of the samples asked for, show those of this validator')
  .option('--block <hash>', 'show the samples of this block')
  .option('--challenge <id>', 'show the samples of this challenge')
  .option('--sample <env#index>', 'show these samples')
  .option('--json', 'one JSON object a line')
  .addHelpText('after', EXAMPLES)
  .exitOverride()
  .showHelpAfterError('(see --help)')
  .action(async (base, options) => {
    const screen = output(options.json)
    const network = networkOf(options.network)
    const web = /^https?:/.test(options.chain)
    const chain = web ? await remoteChain(options.chain) : LocalChain.import(await readFile(options.chain, 'utf8'))
    const search = [options.block, options.challenge, options.sample].find((word) => word !== undefined)
    const flaws: Flaw[] = []
    const apart: Record<string, number> = {}
    let shown = 0
    let last: { text: string; record: object } | undefined
    let found: { text: string; record: object }[] = []
    const epochs = recompute({
      chain,
      network,
      openBucket: (hotkey, url) => openBucket(hotkey, url, base),
      onSample: (sample, place) => {
        if (search === undefined || !matches(options, sample, place)) return
        found.push({ text: sampleText(sample, place), record: { type: 'sample', ...place, sample } })
      },
    })
    for await (const settled of epochs) {
      const { epoch, report, state } = settled
      const root = stateRoot(state)
      flaws.push(...settled.flaws)
      for (const [hotkey, { setAside }] of Object.entries(report.lanes)) {
        if (setAside.length > 0) apart[hotkey] = (apart[hotkey] ?? 0) + 1
      }
      if (options.epoch === undefined || options.epoch === String(epoch)) {
        shown += search === undefined ? 1 : found.length
        for (const { text, record } of found) screen.line(text, record)
        const record = { type: 'epoch', epoch, root, report }
        if (search === undefined) screen.line(epochText(settled, shortHotkey), record)
        for (const flaw of settled.flaws) screen.line(flawText(flaw), { type: 'flaw', ...flaw })
      }
      found = []
      const champion = state.champion?.hotkey ?? 'none'
      const head = `champion   ${champion}\nratio      ${share(state.ratio)}\nstate root ${root}, governing epoch ${state.epoch}`
      last = { text: head, record: { type: 'end', champion, ratio: state.ratio, root } }
    }
    if (last === undefined) throw new Error('the chain has not closed an epoch yet')
    if (shown === 0) throw new Error(`nothing matches ${search ?? `epoch ${options.epoch}`}`)
    const far = Object.entries(apart).map(
      ([hotkey, n]) => `${hotkey}: its samples did not agree with the others' in ${n} epochs`,
    )
    const end = flaws.length === 0 ? 'Everything holds.' : `${flaws.length} things do not hold; see ✘ above.`
    screen.line(['', last.text, ...far, end].join('\n'), { ...last.record, disagreed: apart, flaws: flaws.length })
    if (flaws.length > 0) process.exitCode = 1
  })

const flawText = ({ epoch, validator, code, detail }: Flaw): string =>
  `  ✘ epoch ${epoch}, ${validator}: ${code}: ${printable(detail)}`

await run(program)
