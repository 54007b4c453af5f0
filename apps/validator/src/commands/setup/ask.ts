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

/** Rejects with the reason if a text is not a valid value of a setting. */
type Check = (text: string) => Promise<unknown>

/** The options of the command line, and the answers so far by variable. */
interface Input {
  readonly flags: Flags
  readonly answers: Record<string, string>
}

/**
 * Asks in a terminal for every setting that a validator needs and no option gives. Proposes the
 * values of the environment. Resolves with the answers by variable; the answer is empty for a
 * variable of a kind of bucket that was not chosen. Rejects at Ctrl-C.
 */
export async function askSettings(flags: Flags): Promise<SettingTexts> {
  const input = { flags, answers: {} }
  await askNetwork(input)
  await askHotkey(input)
  await ask(input, 'folder')
  await askBucket(input)
  if (findNetwork(readGiven(input).network ?? '')?.platform === 'chutes')
    await ask(input, 'chutesApiKey')
  return input.answers
}

/** Asks a question. Resolves with whether the answer is yes. Rejects at Ctrl-C. */
export async function confirm(message: string): Promise<boolean> {
  return expectAnswer(await clack.confirm({ message, initialValue: false }))
}

const findEntries = ({ flags, answers }: Input) =>
  findSettings(flags, { ...process.env, ...answers })

const readGiven = (input: Input): SettingTexts => pickGiven(findEntries(input))

async function askNetwork(input: Input): Promise<void> {
  await ask(input, 'network')
  const { network = '' } = readGiven(input)
  const preset = findNetwork(network)
  const isNode = /^wss?:/.test(network)
  if (preset ? preset.netuid === undefined : isNode) await ask(input, 'netuid')
  if (preset && preset.firstEpoch === undefined) await ask(input, 'firstEpoch')
}

async function askHotkey(input: Input): Promise<void> {
  const { key, hotkeySecret, walletPath } = readGiven(input)
  if (key ?? hotkeySecret) return
  const root = resolveWalletFolder(walletPath)
  await ask(input, 'wallet', (text) => readNamed(access(join(root, text, 'hotkeys'))))
  await ask(input, 'hotkey', (text) => {
    const variables = { ...process.env, ...input.answers, BT_WALLET_HOT: text }
    return readValidatorAccount(input.flags, () => {}, variables)
  })
}

async function askBucket(input: Input): Promise<void> {
  const chosen = await askBackend(input)
  // Empty answers override the environment's settings of other kinds of buckets.
  const others = BACKENDS.filter((backend) => backend !== chosen)
  const dropped = others.flatMap(({ settings }) =>
    Object.values(settings).flatMap(({ variables = [] }) => variables),
  )
  for (const variable of dropped) input.answers[variable] = ''
  for (const [name, { needed, proposed }] of Object.entries(chosen.settings))
    if (needed || proposed) await ask(input, name)
  await ask(input, 'bucketUrl', undefined, !chosen.needsUrl)
}

async function askBackend(input: Input): Promise<Backend> {
  const [named] = pickBackends(pickGiven(findSettings(input.flags, {})))
  if (named !== undefined) return named
  const options = BACKENDS.map((value) => ({ value, label: value.label }))
  const [given] = pickBackends(readGiven(input))
  const proposed = given && { initialValue: given }
  const question = { message: "Where is the validator's bucket?", options, ...proposed }
  return expectAnswer(await clack.select<Backend>(question))
}

/** Asks for a setting, unless an option gives it. Stores the answer by the first variable. */
async function ask(input: Input, name: string, check: Check = async () => {}, isOptional = false) {
  const found = findEntries(input).find(({ setting }) => setting.name === name)
  const [variable] = found?.setting.variables ?? []
  if (found === undefined || variable === undefined || name in input.flags) return
  input.answers[variable] = await askOne(found, check, isOptional)
}

/** Asks for one setting. An empty answer keeps the current value, or takes the proposed one. */
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
