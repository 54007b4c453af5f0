import { setTimeout as sleep } from 'node:timers/promises'
import { type LocalChain, serveLocal } from '@affine/chain'
import { listen } from '@affine/node/listen'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { captureOutput } from '../../../packages/terminal/test/within.ts'

/** The result of a command: its output, its error, and the exit code that it set. */
export interface CommandResult {
  readonly stdout: string
  /** The records with "--json". */
  readonly records: readonly Record<string, unknown>[]
  readonly error: Error | undefined
  readonly exitCode: typeof process.exitCode
}

/** Runs a command in this process. */
export async function runCommand(
  command: CommandUnknownOpts,
  ...words: readonly string[]
): Promise<CommandResult> {
  let error: Error | undefined
  const { stdout, code } = await captureOutput(async () => {
    await command.parseAsync(words, { from: 'user' }).catch((thrown: Error) => {
      error = thrown
    })
  })
  const records = words.includes('--json') ? parseRecords(stdout) : []
  return { stdout, records, error, exitCode: code === 0 ? undefined : code }
}

/** Parses the records of a command with "--json", or of a log: one a line. */
export const parseRecords = (stdout: string): ReturnType<typeof JSON.parse>[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** Returns the export of a chain up to its first `count` blocks. */
export const cutBlocks = (exported: string, count: number): string =>
  exported
    .split(/^/m)
    .slice(0, count + 1)
    .join('')

/** Serves a chain that makes blocks until it is disposed of. */
export async function serveGrowingChain(
  chain: LocalChain,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = await listen(serveLocal(chain, 50), 0)
  let stopped = false
  const making = (async () => {
    for (; !stopped; await sleep(10))
      await chain.produce(Math.max(Date.now(), await chain.time(chain.height)))
  })()
  const dispose = async (): Promise<void> => {
    stopped = true
    await making
    server[Symbol.dispose]()
  }
  return { url: server.url, [Symbol.asyncDispose]: dispose }
}

/**
 * Returns the characters that a terminal could act on, except line feeds: controls, and characters
 * that turn or hide text.
 */
export const findUnprintable = (text: string): readonly string[] =>
  text.match(/(?!\n)[\p{Cc}\p{Cf}]/gu) ?? []
