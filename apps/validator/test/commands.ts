import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalChain, type LocalOptions, serveLocal } from '@affine/chain'
import { playerReply, type ReferencePlayer } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { listen } from '@affine/node/listen'
import { LOCAL_NETWORK, NETWORKS, type Network } from '@affine/settlement'
import type { Output } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { onTestFinished, vi } from 'vitest'
import { constantsOf } from '../../../packages/duel/test/subnet.ts'
import {
  completion,
  type Handle,
  type Seen,
  type StandIn,
  serve,
  serveChutes,
} from '../../../packages/miners/test/servers.ts'
import { captureOutput, type Place, type Written } from '../../../packages/terminal/test/within.ts'
import { runAf } from '../../../test/in-process.ts'
import type { RunningProcess } from '../../../test/processes.ts'

/** The result of a command: its output, its error, and the exit code that it set. */
export interface CommandResult {
  readonly stdout: string
  /** The records with "--json"; otherwise empty. */
  readonly records: readonly Record<string, unknown>[]
  readonly error: Error | undefined
  /** Undefined for 0. */
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

/** Starts `af` in this process, in which one program runs at a time. `stop` interrupts it. */
export function startAf(words: readonly string[], place?: Place) {
  const ended = runAf(words, place)
  // Before the program begins, the output is not captured.
  const stdout = (): string => vi.mocked(process.stdout.write).mock?.calls.join('') ?? ''
  const failure = (pattern: RegExp) =>
    ended.then(({ code, ...printed }): never => {
      throw new Error(`ended with ${code} before ${pattern}: ${JSON.stringify(printed)}`)
    })
  /** Resolves with the first match in the standard output. Rejects if the program ends before. */
  const says = (pattern: RegExp): Promise<RegExpExecArray> =>
    Promise.race([
      vi.waitUntil(() => pattern.exec(stdout()), { timeout: 600_000, interval: 10 }),
      failure(pattern),
    ])
  const stop = (): Promise<Written> => {
    process.emit('SIGINT')
    return ended
  }
  return { says, stop }
}

/** Parses the records of a command with "--json", or of a log: one a line. */
export const parseRecords = (stdout: string): ReturnType<typeof JSON.parse>[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** Returns a screen that records its lines. */
export const recordScreen = () => ({
  line: vi.fn<Output['line']>(),
  status: () => {},
  wait: () => {},
})

/** Returns the export of a chain, cut after its first `count` blocks. */
export const cutBlocks = (exported: string, count: number): string =>
  exported
    .split(/^/m)
    .slice(0, count + 1)
    .join('')

/**
 * Writes a file that only its owner may read, by default under a new name. Creates the folder.
 * Resolves with the file's path.
 */
export async function writeIn(
  folder: string,
  text: string,
  name: string = randomUUID(),
): Promise<string> {
  const file = join(folder, name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text, { mode: 0o600 })
  return file
}

/** Creates the chain of subnet 7. */
export const createChain = (options: Partial<LocalOptions>): LocalChain =>
  LocalChain.create({ netuid: 7, random: () => randomBytes(32), time: 1000, ...options })

/** Makes `changes` to the network of a chain until the test ends. */
export function changeNetwork({ genesis }: LocalChain, changes: Partial<Network>): void {
  Object.assign(NETWORKS, { changed: { ...LOCAL_NETWORK, genesis, ...changes } })
  onTestFinished(() => void Reflect.deleteProperty(NETWORKS, 'changed'))
}

/** Makes the network of a chain play only these environments until the test ends. */
export function playOnly(chain: LocalChain, ...ids: readonly string[]): void {
  const envs = Object.fromEntries(ids.map((id) => [id, constantsOf(id)]))
  changeNetwork(chain, { protocol: { ...LOCAL_NETWORK.protocol, envs } })
}

/** Puts the miners of a chain on Chutes until the test ends. A server with these handlers replaces Chutes. */
export async function putOnChutes(
  chain: LocalChain,
  handlers: Readonly<Record<string, Handle>>,
  changes: Partial<Network> = {},
): Promise<StandIn> {
  changeNetwork(chain, { platform: 'chutes', ...changes })
  const standIn = await serveChutes(handlers)
  const spy = vi.spyOn(NODE_CALLER, 'exchange').mockImplementation(standIn.place.exchange)
  onTestFinished(() => spy.mockRestore())
  return standIn
}

/** Serves a reference miner, which replies after `delayMs`. Records the requests. */
export const servePlayer = (
  player: ReferencePlayer,
  delayMs = 0,
): Promise<{ readonly url: string; readonly seen: readonly Seen[] }> =>
  serve((_, __, response, body) => {
    const reply = playerReply(JSON.parse(body).messages.at(-1).content, player)
    const head = { 'content-type': 'application/json' }
    setTimeout(() => response.writeHead(200, head).end(completion(reply)), delayMs)
  })

/** Resolves with the record that a process with "--json" prints once it serves. */
export const servingOf = async ({
  says,
}: Pick<RunningProcess, 'says'>): Promise<ReturnType<typeof JSON.parse>> =>
  JSON.parse((await says(/^\{"type":"serving".*\}$/m))[0])

/** Serves a chain and makes blocks, until the result is disposed of. */
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
