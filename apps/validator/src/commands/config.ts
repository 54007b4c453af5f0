import { output, printable } from '@affine/verifier'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { warn } from '../narrate.ts'
import { readService, serviceCommand } from '../settings.ts'
import { table } from './chain.ts'

/** `af config`: what `af validate` would go by. */
export const config: CommandUnknownOpts = serviceCommand('config')
  .description(
    'show the settings of `af validate`: where each is from, and what is wrong (then it exits with 2)',
  )
  .addHelpText('after', '\nExample:\n  $ af config --network finney --folder validator')
  .action(async ({ json, ...flags }) => {
    const { account, shown, problems, warnings } = await readService(flags)
    const screen = output(json)
    const title = `the settings of ${account?.hotkey ?? 'no hotkey'}; .env is the one in this folder`
    table(screen, title, { type: 'config', hotkey: account?.hotkey }, shown)
    for (const text of warnings) warn(screen, text)
    for (const text of problems)
      screen.line(`✘ ${printable(text, 1000)}`, { type: 'problem', text })
    if (problems.length > 0) process.exitCode = 2
  })
