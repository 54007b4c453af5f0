import { ChainError } from '@affine/chain'
import { type Examination, type Finding, fail, warn } from '@affine/engine/node'
import type { Open, Subnet } from '@affine/settlement'
import { type ChainOptions, faultText, onChain, output, printable } from '@affine/terminal'
import type { ReadSettings } from '../settings/settings.ts'
import { agentsHere } from './agents.ts'
import type { Hide } from './secrets.ts'

type Examined = Pick<Examination, 'hotkey' | 'base' | 'validates'>

/** What an examination needs, given what a validator was told as far as that could be read. */
export function examinationOf(examined: Examined, read: ReadSettings): Examination {
  return { ...examined, own: read.settings ?? notWhole(read), agents: agentsHere, faultText }
}

/** Anyone who names a folder means to validate from here. */
function notWhole({ found, problems }: ReadSettings): Finding {
  const isMeant = found.some(({ setting, value }) => setting.name === 'folder' && value)
  const text = `disk, bucket and Chutes are not looked at: ${problems.join('; ')}`
  return isMeant ? fail('settings', text) : warn('settings', text)
}

const MARKS = { ok: 'ok', warn: '! ', fail: '✘ ' }

/** Where to look, what to hide of what is found, and what to look at there. */
interface Looks {
  readonly options: ChainOptions
  readonly hide: Hide
  readonly look: (subnet: Subnet, signal: AbortSignal) => AsyncIterable<Finding>
}

/**
 * Says what is found over a chain that `open` opens, and whether none of it must be mended. Rejects
 * with wrong usage, and once it is interrupted; a chain that does not answer is a finding.
 */
export async function sayFindings(open: Open, { options, hide, look }: Looks): Promise<boolean> {
  const screen = output(options.json)
  let isWell = true
  const say = (finding: Finding): void => {
    const { check, result } = finding
    isWell &&= result !== 'fail'
    const text = printable(hide(textOf(finding)), 1000)
    const line = `${MARKS[result]} ${check.padEnd(12)} ${text}`
    screen.line(line, { type: 'check', check, result, text })
  }
  try {
    await onChain(open, options, async (subnet, _, signal) => {
      for await (const finding of look(subnet, signal)) say(finding)
    })
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    say(fail('chain', error.message))
  }
  return isWell
}

function textOf({ found, advice }: Finding): string {
  if (advice === undefined) return found
  return `${found}: ${advice}`
}
