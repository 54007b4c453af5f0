import type { Neuron } from '@affine/chain'
import { listQueue, MinerReport, nameHotkeysBy } from '@affine/report'
import { openChain, recompute } from '@affine/settlement'
import { readNames, withChain } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { createReplayCommand, prepareReplay } from './replay.ts'

const EXAMPLES = `  $ af explain --hotkey 7 --network http://127.0.0.1:9944 --buckets buckets
  $ af explain --hotkey 7 --network finney --last 40 --verbose`

export const explain: CommandUnknownOpts = createReplayCommand('explain', EXAMPLES)
  .requiredOption(
    '--hotkey <ss58|uid>',
    'the miner to explain: its address, uid, or name in names.json',
  )
  .option('--verbose', 'show each epoch of its duels, and every lost challenge in full')
  .action(({ hotkey: who, buckets, last, ...options }) =>
    withChain(openChain, options, async (subnet, screen) => {
      const { chain, network } = subnet
      const verbose = options.verbose ?? options.json ?? false
      const snapshot = await chain.snapshot((await chain.head()).number)
      const names = await readNames(options.network)
      const nameOf = nameHotkeysBy(names)
      const isNamed = ({ uid, hotkey }: Neuron): boolean => [`${uid}`, names[hotkey]].includes(who)
      const hotkey = snapshot.neurons.find(isNamed)?.hotkey ?? who
      const report = new MinerReport({ hotkey, line: screen.line, verbose, nameOf })
      const replay = await prepareReplay(subnet, { buckets, last }, (sample, place) =>
        report.stats.add(sample, place),
      )
      let state = replay.from
      for await (const settled of recompute(replay)) {
        state = settled.state
        screen.wait(`reading, up to epoch ${settled.epoch}`)
        report.add(settled)
      }
      const place = listQueue(state, snapshot, network).find((row) => row.hotkey === hotkey)
      process.exitCode = Number(!report.isKnown && place === undefined)
      report.end(place)
    }),
  )
