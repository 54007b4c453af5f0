import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { networkNamed } from '@affine/settlement'
import { faultText } from '@affine/terminal'
import * as clack from '@clack/prompts'
import { CommanderError } from '@commander-js/extra-typings'
import { readAccount } from '../../service/account.ts'
import { type Found, findSettings } from '../../service/setting-sources.ts'
import type { Flags } from '../../service/settings.ts'
import type { Given } from '../../service/told.ts'
import { walletsAt } from '../../service/wallet-names.ts'
import * as questions from './questions.ts'

/** What is wrong with a text; undefined when nothing is. */
type Check = (text: string) => Promise<string | undefined>

/**
 * Asks a person in a terminal for all that a validator must be told and no option says. What the
 * environment or a file gives is proposed. Resolves with the answers by variable, also with what
 * they make void, which is empty; rejects at Ctrl-C.
 */
export async function askSettings(flags: Flags): Promise<Given> {
  const asking = new Asking(flags)
  await asking.askNetwork()
  await asking.askHotkey()
  await asking.ask(questions.FOLDER)
  await asking.askBucket()
  if (networkNamed(asking.given('network') ?? '')?.platform === 'chutes')
    await asking.ask(questions.CHUTES)
  return asking.answers
}

/** Asks for a yes. Rejects at Ctrl-C. */
export async function confirm(message: string): Promise<boolean> {
  return answered(await clack.confirm({ message, initialValue: false }))
}

class Asking {
  readonly #flags: Flags
  readonly #answers: Record<string, string> = {}

  constructor(flags: Flags) {
    this.#flags = flags
  }

  get answers(): Given {
    return this.#answers
  }

  given(name: string): string | undefined {
    return this.#found(name)?.value
  }

  async askNetwork(): Promise<void> {
    await this.ask(questions.NETWORK)
    const network = this.given('network') ?? ''
    const preset = networkNamed(network)
    const isNode = /^wss?:/.test(network)
    if (preset ? preset.netuid === undefined : isNode) await this.ask(questions.NETUID)
    if (preset && preset.firstEpoch === undefined) await this.ask(questions.FIRST_EPOCH)
  }

  async askHotkey(): Promise<void> {
    if (this.given('key') ?? this.given('hotkeySecret')) return
    const root = walletsAt(this.given('walletPath'))
    await this.ask(questions.WALLET, (text) => faultOf(access(join(root, text, 'hotkeys'))))
    await this.ask(questions.HOTKEY, (text) => {
      const variables = { ...process.env, ...this.#answers, BT_WALLET_HOT: text }
      return faultOf(readAccount(this.#flags, () => {}, variables))
    })
  }

  async askBucket(): Promise<void> {
    const place = await this.#place()
    const asked = questions.PLACES[place].map(({ name }) => name)
    // Nothing that was given for another place counts any more.
    const all = Object.values(questions.PLACES).flat()
    for (const { name } of all) if (!asked.includes(name)) this.#forget(name)
    for (const question of questions.PLACES[place]) await this.ask(question)
  }

  async #place(): Promise<questions.Place> {
    const given = this.#givenPlace()
    if (given?.from === 'flag') return given.place
    const options: { value: questions.Place; label: string }[] = [
      { value: 'r2', label: 'in Cloudflare R2' },
      { value: 's3', label: 'in another service that speaks S3' },
      { value: 'folder', label: 'in a folder here, which a web server shows' },
    ]
    const initialValue = given?.place ?? 'r2'
    return answered(await clack.select({ message: 'Its bucket is', options, initialValue }))
  }

  #givenPlace() {
    const signs = [
      ['buckets', 'folder'],
      ['s3Endpoint', 's3'],
      ['r2AccountId', 'r2'],
    ] as const
    for (const [name, place] of signs) {
      const { value, from } = this.#found(name) ?? {}
      if (value !== undefined) return { place, from }
    }
    return undefined
  }

  /** Asks for a setting that no option gives. */
  async ask(question: questions.Question, check: Check = async () => undefined): Promise<void> {
    const found = this.#found(question.name)
    const [variable] = found?.setting.variables ?? []
    if (found === undefined || variable === undefined || found.from === 'flag') return
    this.#answers[variable] = await askOne(question, found, check)
  }

  #found(name: string): Found | undefined {
    const variables = { ...process.env, ...this.#answers }
    return findSettings(this.#flags, variables, {}).find(({ setting }) => setting.name === name)
  }

  #forget(name: string): void {
    for (const variable of this.#found(name)?.setting.variables ?? []) this.#answers[variable] = ''
  }
}

async function faultOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    (error: Error) => faultText(error),
  )
}

/** A secret is not shown; an empty answer keeps the one that is given. */
async function askOne(
  { message, initial, isOptional }: questions.Question,
  { setting, value }: Found,
  check: Check,
): Promise<string> {
  const kept = setting.secret ? (value ?? '') : ''
  const validate = async (text = ''): Promise<string | undefined> => {
    const given = text || kept
    if (given === '') return isOptional ? undefined : 'it must be given'
    return setting.shape.safeParse(given).error?.issues[0]?.message ?? (await check(given))
  }
  if (!setting.secret) {
    const initialValue = value ?? initial ?? ''
    return answered(await clack.text({ message, initialValue, validate }))
  }
  const how = kept === '' ? message : `${message}; Enter keeps the one that is given`
  return answered(await clack.password({ message: how, validate })) || kept
}

/** @throws CommanderError when it was Ctrl-C. */
function answered<T>(answer: T | typeof clack.CANCEL_SYMBOL): T {
  if (!clack.isCancel(answer)) return answer
  throw new CommanderError(130, 'interrupted', 'stopped by Ctrl-C')
}
