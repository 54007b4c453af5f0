import { type Examination, type Finding, fail, warn } from '@affine/engine/node'
import { faultText } from '@affine/terminal'
import { NO_KEY, type ReadSettings } from '../settings/settings.ts'
import { agentsHere } from './agents.ts'

type Examined = Pick<Examination, 'hotkey' | 'base' | 'validates'>

/** What an examination needs, given what a validator was told as far as that could be read. */
export function examinationOf(examined: Examined, read: ReadSettings): Examination {
  const wording = {
    buckets: '--buckets',
    bucketUrl: '--bucket-url',
    chutesApiKey: 'CHUTES_API_KEY',
    noKey: NO_KEY,
    faultText,
  }
  return { ...examined, own: read.settings ?? notWhole(read), agents: agentsHere, wording }
}

/** Anyone who names a folder means to validate from here. */
function notWhole({ found, problems }: ReadSettings): Finding {
  const isMeant = found.some(({ setting, value }) => setting.name === 'folder' && value)
  const text = `disk, bucket and Chutes are not looked at: ${problems.join('; ')}`
  return isMeant ? fail('settings', text) : warn('settings', text)
}
