import { LIMITS, statePath } from '@affine/blocks'
import { ChainError, decodeCommitment } from '@affine/chain'
import { type Opened, onChain, openBucket, openChain, output, printable } from '@affine/verifier'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { accountOf, accountOnChain, decimal, readSlot, shown } from './chain.ts'

const MARKS = { ok: 'ok', warn: '! ', fail: '✘ ' }
/** Says what a check came to, and what to do if that is not well. */
type Say = (check: string, result: keyof typeof MARKS, found: string, todo?: string) => void

/** `af doctor`: is everything there that a validator or a miner needs? */
export const doctor: CommandUnknownOpts = accountOnChain('doctor')
  .description(
    'check what a validator or a miner needs: "✘" must be mended (then it exits with 1), "!" perhaps not',
  )
  .option('--buckets <folder|url>', 'where the buckets are; without, its own is not looked at')
  .addHelpText('after', '\nExample:\n  $ af doctor --network finney --wallet cold --hotkey hot')
  .action(async ({ buckets, ...options }) => {
    const { hotkey } = await accountOf(options)
    const say: Say = (check, result, found, todo) => {
      if (result === 'fail') process.exitCode = 1
      const text = printable(result === 'ok' || !todo ? found : `${found}: ${todo}`, 1000)
      output(options.json).line(`${MARKS[result]} ${check.padEnd(12)} ${text}`, {
        type: 'check',
        check,
        result,
        text,
      })
    }
    await onChain(openChain, options, (opened) => examine(opened, hotkey, buckets, say)).catch(
      (error) => {
        if (!(error instanceof ChainError)) throw error
        say('chain', 'fail', error.message)
      },
    )
  })

async function examine(
  { chain, network }: Opened,
  hotkey: string,
  buckets: string | undefined,
  say: Say,
) {
  const asked = Date.now()
  const { head, neurons, commitments, revealPeriod } = await chain.snapshot(
    (await chain.head()).number,
  )
  const [took, age] = [
    Date.now() - asked,
    Math.round((Date.now() - (await chain.time(head.number))) / 1000),
  ]
  say(
    'chain',
    'ok',
    `subnet ${chain.netuid}, block ${head.number}, in ${took / 1000} s; genesis ${chain.genesis}`,
  )
  const isNew = age >= -2 && age <= 120 // final blocks are a few block times old
  say(
    'clock',
    isNew ? 'ok' : 'fail',
    `the newest block is ${age} s old`,
    'set the clock, or take a node that keeps up',
  )
  say(
    'weights',
    'ok',
    revealPeriod ? `committed, and revealed ${revealPeriod} tempos later` : 'set in the open',
  )

  const neuron = neurons.find((neuron) => neuron.hotkey === hotkey)
  if (!neuron)
    return say('registered', 'fail', `${hotkey} is not`, `register it on subnet ${chain.netuid}`)
  const { uid, stake, permit, lastUpdate } = neuron
  say('registered', 'ok', `${hotkey} is uid ${uid}`)
  const slot = commitments.find((slot) => slot.hotkey === hotkey)
  const said = slot ? decodeCommitment(slot.fields, hotkey) : null
  const isMiner = said?.kind === 'miner'
  const why = isMiner
    ? 'who holds one has no duel'
    : 'add stake to validate, or `af commit` to mine'
  say('permit', permit === isMiner ? 'fail' : 'ok', permit ? 'held' : 'none', why)
  say(
    'stake',
    isMiner || stake > 0n ? 'ok' : 'warn',
    decimal(stake),
    'a validator without has no vote',
  )
  const says = slot
    ? `block ${slot.block}, ${said?.kind ?? 'unreadable'}: ${shown(readSlot(slot).says)}`
    : 'none yet'
  say(
    'commitment',
    said ? 'ok' : slot && !permit ? 'fail' : 'warn',
    says,
    '`af validate` or `af commit` makes it',
  )
  if (isMiner) return

  const ago = head.number - lastUpdate
  const isLate = ago > 2 * network.protocol.epochBlocks
  say(
    'last weights',
    isLate ? 'warn' : 'ok',
    `or registration: ${ago} blocks ago`,
    'is `af validate` running?',
  )
  if (said === null) return say('bucket', 'warn', 'not announced yet')
  // The state that governed the epoch of the commitment is there since before it was made.
  const path = statePath(said.epoch)
  const bytes = await openBucket(hotkey, said.url, buckets)
    ?.read(path, LIMITS.blockBytes)
    .catch((error: Error) => error)
  const isWrong = bytes instanceof Error || (bytes === undefined && buckets !== undefined)
  const has = bytes === undefined ? 'was not asked for' : bytes ? 'has' : 'lacks'
  const found = bytes instanceof Error ? bytes.message : `${said.url} ${has} ${path}`
  say(
    'bucket',
    isWrong ? 'fail' : bytes ? 'ok' : 'warn',
    found,
    'name its place with --buckets; is it served?',
  )
}
