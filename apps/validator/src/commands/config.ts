import { type EnvFile, output, printable, table } from '@affine/terminal'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { warn } from '../service/narrate.ts'
import { readService, serviceCommand } from '../settings/service.ts'

/** `af config`: the settings that `af validate` would use. */
export const config: CommandUnknownOpts = serviceCommand('config')
  .description(
    'show the settings of `af validate`, where each is from, and what is wrong with them ' +
      '(then it exits with 2)',
  )
  .addHelpText('after', '\nExample:\n  $ af config --network finney --folder validator')
  .action(async ({ json, ...flags }) => {
    const { account, shown, problems, warnings, file } = await readService(flags)
    const screen = output(json)
    const whose = account ? `Hotkey ${account.hotkey}.` : 'No hotkey chosen.'
    const title = {
      text: `${whose} ${fileText(file)}`,
      record: { type: 'config', hotkey: account?.hotkey },
    }
    table(screen, title, shown)
    for (const text of warnings) warn(screen, text)
    for (const text of problems) {
      screen.line(`✘ ${printable(text, 1000)}`, { type: 'problem', text })
    }
    if (problems.length > 0) process.exitCode = 2
    else if (warnings.length === 0)
      screen.line('No problem found: `af validate` can start with these settings.', {
        type: 'well',
      })
  })

const fileText = ({ path }: EnvFile): string =>
  path === undefined
    ? 'Settings from options and the environment; there is no .env in this folder:'
    : `Settings from options, the environment and ${path}:`
