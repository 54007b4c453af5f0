import type { Sample } from '@affine/blocks'
import {
  epochText,
  onChain,
  openChain,
  printable,
  recompute,
  sampleText,
  shortHotkey,
} from '@affine/verifier'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { forfeitOf } from '../forfeit.ts'
import { bucketsIn } from '../setup.ts'
import { readersState } from '../starting-state.ts'
import { replayCommand } from './options.ts'
import { placesIn } from './queue.ts'

/** Lost challenges of a lane that are kept, and of an epoch that are shown. */
const KEPT = 3
const ROLES = ['champion', 'contender'] as const
const WHY = {
  win: 'win, as without the third of the weight most in its favour the contender still reaches the ratio to beat',
  hold: 'hold, as what is left until the cap of decisive challenges cannot plausibly make it a win',
  even: 'even, as too few challenges tell the two apart, so it counts for neither',
  none: 'no verdict',
}

/** `af explain`: what the public evidence says of one miner. */
export const explain: CommandUnknownOpts = replayCommand('explain')
  .description('why a miner won, lost or waits, from public evidence alone')
  .requiredOption('--hotkey <ss58|uid>', 'whose')
  .option('--all', `every challenge it lost, instead of the last ${KEPT} of an epoch`)
  .addHelpText(
    'after',
    '\nExample:\n  $ af explain --hotkey 7 --network http://127.0.0.1:9944 --buckets buckets',
  )
  .action(({ hotkey: who, buckets, last, all, ...options }) =>
    onChain(openChain, options, async ({ chain, network }, screen) => {
      const snapshot = await chain.snapshot((await chain.head()).number)
      const hotkey = snapshot.neurons.find(({ uid }) => String(uid) === who)?.hotkey ?? who
      // By lane, how each challenge was forfeited, "" where it was not, and the last that were
      // lost.
      const lanes = new Map<
        string,
        { ways: string[]; lost: { validator: string; block: string; sample: Sample }[] }
      >()
      const onSample = (sample: Sample, place: { validator: string; block: string }): void => {
        const role = ROLES.find((role) => sample[role].miner === hotkey)
        if (role === undefined) return
        const { ways, lost } = lanes.get(place.validator) ?? { ways: [], lost: [] }
        lanes.set(place.validator, { ways, lost })
        ways.push(forfeitOf(sample, role) ?? '')
        if (sample.verdict === (role === 'champion' ? 'win' : 'loss'))
          lost.push({ ...place, sample })
        if (!all && lost.length > KEPT) lost.shift()
      }
      const asked = {
        chain,
        network,
        openBucket: bucketsIn(buckets, network),
        compare: false,
        onSample,
      }
      let state = await readersState(asked, last)
      for await (const settled of recompute({ ...asked, from: state })) {
        const [{ duel, epoch, protocol }, report] = [settled.before, settled.report]
        state = settled.state
        const isFit = (hotkey: string) =>
          report.lanes[hotkey]?.accepted && report.lanes[hotkey].setAside.length === 0
        const counted = report.frozen
          ? []
          : [...lanes].flatMap(([validator, seen]) => (isFit(validator) ? seen : []))
        lanes.clear()
        const role = ROLES.find((role) => duel?.[role].hotkey === hotkey)
        if (duel === undefined || role === undefined) continue
        const ways = counted.flatMap(({ ways }) => ways)
        const kinds = [...new Set(ways)]
          .filter(Boolean)
          .map((way) => `${ways.filter((x) => x === way).length} ${way}`)
        const why = (env: string) => WHY[report.envs[env]?.given ?? duel.verdicts[env] ?? 'none']
        const need = `(n + ${protocol.margin}) / 2 wins in the n environments that are not even, in ${protocol.duelEpochs} epochs`
        const lines = [
          epochText(settled, (name) => (name === hotkey ? 'this miner' : shortHotkey(name))),
          ...Object.keys(protocol.envs).map((env) => `  ${env}: ${why(env)}`),
          `  forfeited by this miner, of ${ways.length} challenges in lanes that count: ${kinds.join(', ') || 'none'}`,
        ]
        if (report.outcome)
          lines.push(
            `  it ${report.outcome === role ? 'won' : 'lost'}: the contender needs at least ${need}`,
          )
        screen.line(lines.join('\n'), { type: 'epoch', epoch, role, duel, forfeits: kinds, report })
        for (const { sample, ...place } of counted
          .flatMap(({ lost }) => lost)
          .slice(all ? 0 : -KEPT))
          screen.line(sampleText(sample, place.validator, place.block), {
            type: 'lost',
            epoch,
            role,
            ...place,
            sample,
          })
      }
      const { rows } = placesIn(state, snapshot, network)
      const now = { hotkey, why: 'is not registered', ...rows.find((row) => row.hotkey === hotkey) }
      screen.line(`${printable(hotkey)} ${now.why}`, { type: 'now', ...now })
    }),
  )
