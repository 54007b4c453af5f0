import type { Account, Chain, CommitmentSlot, Neuron, Snapshot } from '@affine/chain'
import { ChainError, decodeCommitment } from '@affine/chain'
import type { ChainOptions, Output } from '@affine/verifier'
import { chainCommand, onChain, openChain, output, printable } from '@affine/verifier'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { type AccountOptions, readAccount, whole, withAccount } from './options.ts'

/** A command for an account on a chain, with "--json". */
export const accountOnChain = (name: string): Command<[], ChainOptions & AccountOptions> =>
  withAccount(chainCommand(name))

/** The account that the options name. What should be mended about it is said. */
export const accountOf = (options: AccountOptions & Pick<ChainOptions, 'json'>): Promise<Account> =>
  readAccount(options, (text) =>
    output(options.json).line(`! ${printable(text)}`, { type: 'warning', text }),
  )

/**
 * A hotkey's neuron at the chain's head, and all of them. @throws ChainError when it is not
 * registered.
 */
export async function neuronOf(
  chain: Chain,
  hotkey: string,
): Promise<[own: Neuron, all: readonly Neuron[]]> {
  const { neurons } = await chain.snapshot((await chain.head()).number)
  const neuron = neurons.find((neuron) => neuron.hotkey === hotkey)
  if (neuron) return [neuron, neurons]
  throw new ChainError(
    'HotKeyNotRegisteredInSubNet',
    `register ${hotkey} on subnet ${chain.netuid} first`,
  )
}

/** Rao as a decimal of nine places. */
export const decimal = (rao: bigint): string =>
  `${rao / 10n ** 9n}.${`${rao % 10n ** 9n}`.padStart(9, '0')}`

/** Records of one shape: a column for each of their fields. */
export type Rows = readonly Readonly<Record<string, unknown>>[]

/** What a slot says, bytes in hex; of kind `unknown` when it is no commitment of this protocol. */
export function readSlot({ hotkey, block, fields }: CommitmentSlot): Rows[number] {
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
  const unknown = {
    kind: 'unknown',
    text: fields.map((field) => Buffer.from(field).toString()),
    hex: fields.map(hex),
  }
  const said = decodeCommitment(fields, hotkey) ?? unknown
  const { kind, ...says } = 'bitmap' in said ? { ...said, bitmap: hex(said.bitmap) } : said
  return { hotkey, block, kind, says }
}

/** A value from outside, on one line of a terminal. */
export const shown = (x: unknown): string =>
  printable(typeof x === 'string' ? x : JSON.stringify(x), 8000)

/** Records as the lines of a table, the first with the names of the fields. */
export function align(rows: Rows): readonly string[] {
  const columns = Object.keys(rows[0] ?? {})
  const cells = [columns, ...rows.map((row) => columns.map((name) => shown(row[name] ?? '-')))]
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')
  return cells.map((row) => line(row).trimEnd())
}

/** A line about the whole, then the records, for people as a table. */
export function table(screen: Output, title: string, record: object, rows: Rows): void {
  const [names, ...lines] = align(rows)
  screen.line(`${title}\n${names}`.trimEnd(), record)
  for (const [i, line] of lines.entries()) screen.line(line, { type: 'row', ...rows[i] })
}

type Read = (snapshot: Snapshot, chain: Chain) => Rows | Promise<Rows>

const view = (name: string, about: string, read: Read): CommandUnknownOpts =>
  chainCommand(name)
    .description(about)
    .option('--block <n>', 'at the end of this block, instead of the newest', whole(0, 2 ** 32 - 1))
    .addHelpText('after', `\nExample:\n  $ af chain ${name} --network finney`)
    .action(({ block, ...options }) =>
      onChain(openChain, { firstEpoch: 0, ...options }, async ({ chain }, screen) => {
        const snapshot = await chain.snapshot(block ?? (await chain.head()).number)
        const { head, tempo, revealPeriod } = snapshot
        const about = { type: name, netuid: chain.netuid, ...head, tempo, revealPeriod }
        table(
          screen,
          `subnet ${chain.netuid} at the end of block ${head.number}`,
          about,
          await read(snapshot, chain),
        )
      }),
    )

const views = [
  view('snapshot', 'the neurons, their stake in TAO or alpha', ({ neurons }) =>
    neurons.map(({ uid, hotkey, stake, ...rest }) => ({
      uid,
      hotkey,
      stake: decimal(stake),
      ...rest,
    })),
  ),
  view('commitments', 'what each hotkey has committed', ({ commitments }) =>
    commitments.map(readSlot),
  ),
  view(
    'weights',
    'the weights in force: by validator, pairs of uid and weight',
    async ({ head, neurons }, chain) => {
      const rows = await chain.weights(head.number)
      return neurons.flatMap(({ uid, hotkey }) =>
        rows[hotkey] ? [{ uid, hotkey, weights: rows[hotkey] }] : [],
      )
    },
  ),
]

/** `af chain`: what is on chain. */
export const chain: CommandUnknownOpts = new Command('chain').description(
  'look at a subnet on chain',
)
for (const command of views) chain.addCommand(command)
