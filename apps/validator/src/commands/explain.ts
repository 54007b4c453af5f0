import { openChain, placesIn, type Settled } from '@affine/settlement'
import {
  crownedIn,
  epochText,
  type Output,
  onChain,
  printable,
  reportRecord,
  sampleText,
} from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { Replay, replayCommand } from './replay.ts'
import { MinerLanes } from './views/miner-lanes.ts'
import { namesFor, turnOf, turnText } from './views/turn.ts'

/** Lost challenges of an epoch that are shown. */
const SHOWN = 3

/** `af explain`: what the public evidence says of one miner. */
export const explain: CommandUnknownOpts = replayCommand('explain')
  .description('why a miner won, lost or waits, from public evidence alone')
  .requiredOption('--hotkey <ss58|uid>', 'whose')
  .option('--all', `every challenge it lost, instead of the last ${SHOWN} of an epoch`)
  .addHelpText(
    'after',
    '\nExample:\n  $ af explain --hotkey 7 --network http://127.0.0.1:9944 --buckets buckets',
  )
  .action(({ hotkey: who, buckets, last, all, ...options }) =>
    onChain(openChain, options, async (subnet, screen) => {
      const { chain, network } = subnet
      const snapshot = await chain.snapshot((await chain.head()).number)
      const hotkey = snapshot.neurons.find(({ uid }) => String(uid) === who)?.hotkey ?? who
      const most = all ? Number.POSITIVE_INFINITY : SHOWN
      const lanes = new MinerLanes(hotkey, most)
      const replay = await Replay.begin(subnet, { buckets, last }, lanes.add.bind(lanes))
      let isKnown = false
      for await (const settled of replay.epochs()) {
        const { epoch, report } = settled
        const deeds = lanes.finish(report)
        const turn = turnOf(hotkey, settled, deeds)
        if (turn === undefined) {
          isKnown ||= sayCrowned(settled, hotkey, screen)
          continue
        }
        isKnown = true
        const { role, duel, forfeits } = turn
        const record = { type: 'epoch', epoch, role, duel, forfeits, report: reportRecord(report) }
        screen.line(turnText(turn), record)
        for (const { sample, ...where } of deeds.lost.slice(-most))
          screen.line(sampleText(sample, where), { type: 'lost', epoch, role, ...where, sample })
      }
      const { rows } = placesIn(replay.state, snapshot, network)
      const place = rows.find((row) => row.hotkey === hotkey)
      const now = { hotkey, why: 'is not registered', ...place }
      screen.line(`${printable(hotkey)} ${now.why}`, { type: 'now', ...now })
      isKnown ||= place !== undefined
      process.exitCode = Number(!isKnown)
    }),
  )

/** A throne that was taken without a duel is no turn, and told all the same. Was it taken? */
function sayCrowned(settled: Settled, hotkey: string, screen: Output): boolean {
  if (crownedIn(settled)?.hotkey !== hotkey) return false
  const record = { type: 'crowned', epoch: settled.before.epoch, hotkey }
  screen.line(epochText(settled, namesFor(hotkey)), record)
  return true
}
