import { type State, stateRoot } from '@affine/duel'
import { openChain } from './open-chain.ts'
import { chainCommand, onChain } from './options.ts'
import { type Output, run } from './output.ts'
import { type Flaw, type RecomputeOptions, recompute } from './recompute.ts'
import { openBucket } from './sources.ts'
import { epochText, printable, sampleText, share } from './text.ts'

const EXAMPLES = `
Examples:
  $ af-verify ./buckets --network chain.json
  $ af-verify ./buckets --network chain.json --epoch 2
  $ af-verify ./buckets --network chain.json --epoch 2 --sample mult8@0.1.0#0
  $ af-verify https://example.org/buckets --network http://127.0.0.1:9944

Exit codes: 0 all holds, 1 something does not, 2 wrong usage. A validator whose samples were statistically far from the
others' is named, but its bytes hold: that alone is not a failure.`

const program = chainCommand('af-verify')
  .description('Recompute a subnet from its public data, byte by byte, and say what holds.')
  .version('0.1.0')
  .argument(
    '[buckets]',
    'folder or URL that holds the buckets announced by name; not needed for https buckets',
  )
  .option('--epoch <n>', 'show this epoch only')
  .option('--validator <hotkey>', 'of the samples asked for, show those of this validator')
  .option('--block <hash>', 'show the samples of this block')
  .option('--challenge <id>', 'show the samples of this challenge')
  .option('--sample <env#index>', 'show these samples')
  .addHelpText('after', EXAMPLES)
  .exitOverride()
  .showHelpAfterError('(see --help)')
  .action((base, options) =>
    onChain(openChain, options, async ({ chain, network }, screen) => {
      // `validator` alone asks for no samples: it narrows what the others ask for.
      const search = options.block ?? options.challenge ?? options.sample
      const filters = ['validator', 'block', 'challenge', 'sample'] as const
      const found: Parameters<Output['line']>[] = []
      const onSample: RecomputeOptions['onSample'] = (sample, place) => {
        const here = {
          ...place,
          challenge: sample.challengeId,
          sample: `${sample.env}#${sample.index}`,
        }
        if (
          search === undefined ||
          filters.some((name) => here[name] !== (options[name] ?? here[name]))
        )
          return
        found.push([
          sampleText(sample, place.validator, place.block),
          { type: 'sample', ...place, sample },
        ])
      }
      const open = (hotkey: string, url: string) => openBucket(hotkey, url, base)
      const disagreed: Record<string, number> = {}
      let [shown, flaws] = [0, 0]
      let state: State | undefined
      for await (const settled of recompute({ chain, network, openBucket: open, onSample })) {
        const { epoch, report } = settled
        state = settled.state
        flaws += settled.flaws.length
        for (const [hotkey, { setAside }] of Object.entries(report.lanes))
          if (setAside.length > 0) disagreed[hotkey] = (disagreed[hotkey] ?? 0) + 1
        const lines = found.splice(0)
        if (options.epoch !== undefined && options.epoch !== String(epoch)) continue
        const record = { type: 'epoch', epoch, root: stateRoot(state), report }
        if (search === undefined) lines.push([epochText(settled), record])
        shown += lines.length
        for (const [text, record] of lines) screen.line(text, record)
        for (const flaw of settled.flaws) screen.line(flawText(flaw), { type: 'flaw', ...flaw })
      }
      if (state === undefined) throw new Error('the chain has not closed an epoch yet')
      if (shown === 0) throw new Error(`nothing matches ${search ?? `epoch ${options.epoch}`}`)
      const { ratio, epoch } = state
      const [champion, root] = [state.champion?.hotkey ?? 'none', stateRoot(state)]
      const far = Object.entries(disagreed).map(
        ([hotkey, n]) => `${hotkey}: its samples did not agree with the others' in ${n} epochs`,
      )
      const end = flaws === 0 ? 'Everything holds.' : `Not everything holds: ${flaws} ✘ above.`
      const head = `champion   ${champion}\nratio      ${share(ratio)}\nstate root ${root}, governing epoch ${epoch}`
      screen.line(['', head, ...far, end].join('\n'), {
        type: 'end',
        champion,
        ratio,
        root,
        disagreed,
        flaws,
      })
      if (flaws > 0) process.exitCode = 1
    }),
  )

const flawText = ({ epoch, validator, code, detail }: Flaw): string =>
  `  ✘ epoch ${epoch}, ${validator}: ${code}: ${printable(detail)}`

await run(program)
