import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { findNetwork } from '@affine/settlement'
import { findFault, readNamed, type SettingTexts } from '@affine/terminal'
import * as clack from '@clack/prompts'
import { CommanderError } from '@commander-js/extra-typings'
import { BACKENDS, type Backend, pickBackends } from '../../buckets/backends.ts'
import { readValidatorAccount, resolveWalletFolder } from '../../service/account.ts'
import { findSettings, pickGiven, type SettingEntry, toKebab } from '../../settings/entries.ts'
import type { Flags } from '../../settings/settings.ts'

/** Rejects with an error that states the fault of a text. */
type Check = (text: string) => Promise<unknown>

/**
 * Asks in a terminal for every setting that a validator needs and no option gives. Proposes the
 * values of the environment. Resolves with the answers by variable; the answer is empty for a
 * variable of a kind of bucket that was not chosen. Rejects at Ctrl-C.
 */
export async function askSettings(flags: Flags): Promise<SettingTexts> {
  const asking = new SetupPrompts(flags)
  await asking.askNetwork()
  await asking.askHotkey()
  await asking.ask('folder')
  await asking.askBucket()
  if (findNetwork(asking.given.network ?? '')?.platform === 'chutes')
    await asking.ask('chutesApiKey')
  return asking.answers
}

/** Asks for a yes. Rejects at Ctrl-C. */
export async function confirm(message: string): Promise<boolean> {
  return expectAnswer(await clack.confirm({ message, initialValue: false }))
}

class SetupPrompts {
  readonly answers: Record<string, string> = {}
  readonly #flags: Flags

  constructor(flags: Flags) {
    this.#flags = flags
  }

  get #found(): readonly SettingEntry[] {
    return findSettings(this.#flags, { ...process.env, ...this.answers })
  }

  get given(): SettingTexts {
    return pickGiven(this.#found)
  }

  async askNetwork(): Promise<void> {
    await this.ask('network')
    const { network = '' } = this.given
    const preset = findNetwork(network)
    const isNode = /^wss?:/.test(network)
    if (preset ? preset.netuid === undefined : isNode) await this.ask('netuid')
    if (preset && preset.firstEpoch === undefined) await this.ask('firstEpoch')
  }

  async askHotkey(): Promise<void> {
    const { key, hotkeySecret, walletPath } = this.given
    if (key ?? hotkeySecret) return
    const root = resolveWalletFolder(walletPath)
    await this.ask('wallet', (text) => readNamed(access(join(root, text, 'hotkeys'))))
    await this.ask('hotkey', (text) => {
      const variables = { ...process.env, ...this.answers, BT_WALLET_HOT: text }
      return readValidatorAccount(this.#flags, () => {}, variables)
    })
  }

  async askBucket(): Promise<void> {
    const chosen = await this.#backend()
    // Settings of another kind of bucket no longer count.
    const others = BACKENDS.filter((backend) => backend !== chosen)
    const dropped = others.flatMap(({ settings }) =>
      Object.values(settings).flatMap(({ variables = [] }) => variables),
    )
    for (const variable of dropped) this.answers[variable] = ''
    for (const [name, { needed, proposed }] of Object.entries(chosen.settings))
      if (needed || proposed) await this.ask(name)
    await this.ask('bucketUrl', undefined, !chosen.needsUrl)
  }

  async #backend(): Promise<Backend> {
    const [named] = pickBackends(pickGiven(findSettings(this.#flags, {})))
    if (named !== undefined) return named
    const options = BACKENDS.map((value) => ({ value, label: value.label }))
    const [given] = pickBackends(this.given)
    const proposed = given && { initialValue: given }
    const question = { message: "Where is the validator's bucket?", options, ...proposed }
    return expectAnswer(await clack.select<Backend>(question))
  }

  /** Asks for a setting, unless an option gives it. */
  async ask(name: string, check: Check = async () => {}, isOptional = false): Promise<void> {
    const found = this.#found.find(({ setting }) => setting.name === name)
    const [variable] = found?.setting.variables ?? []
    if (found === undefined || variable === undefined || found.from === 'flag') return
    this.answers[variable] = await askOne(found, check, isOptional)
  }
}

/** Asks for one setting. Does not show a secret; an empty answer keeps the current value. */
async function askOne({ setting, value }: SettingEntry, check: Check, isOptional: boolean) {
  const { name, help, proposed = '', secret } = setting
  const message = `${toKebab(name)}: ${help}${isOptional ? ' (optional)' : ''}`
  const current = secret === 'all' ? (value ?? '') : (value ?? proposed)
  const validate = async (text = ''): Promise<string | undefined> => {
    const given = text || current
    if (given === '') return isOptional ? undefined : 'a value is needed'
    const reason = ({ message }: Error): string => message
    return findFault(setting, given) ?? check(given).then(() => undefined, reason)
  }
  if (secret !== 'all')
    return expectAnswer(
      await clack.text({ message, placeholder: current, defaultValue: current, validate }),
    )
  const how = current === '' ? message : `${message}; Enter keeps the current one`
  return expectAnswer(await clack.password({ message: how, validate })) || current
}

/** @throws CommanderError at Ctrl-C. */
function expectAnswer<T>(answer: T | typeof clack.CANCEL_SYMBOL): T {
  if (!clack.isCancel(answer)) return answer
  throw new CommanderError(130, 'interrupted', 'stopped by Ctrl-C')
}
