import type { Transcript } from '@affine/envs'
import { boardAccount } from './board-account.ts'
import { type Challenge, type Course, courseOf, type Ending } from './course.ts'
import { productAccount } from './product-account.ts'
import { printable } from './text.ts'

/** What is known of environments besides what their specifications say. */
const ACCOUNTS: Readonly<Record<string, (course: Course) => Ending>> = {
  'tictactoe@0.1.0': boardAccount,
  'mult8@0.1.0': productAccount,
}

/**
 * How an episode ended: its last board or product, and what was best. Of one that does not replay,
 * or of another environment, the reward and the forfeit alone. Never throws, whatever the messages.
 */
export function endingOf(challenge: Challenge, episode: Transcript): Ending {
  const course = courseOf(challenge, episode)
  const account = Object.hasOwn(ACCOUNTS, challenge.env) ? ACCOUNTS[challenge.env] : undefined
  if (course === undefined) return plain(`reward ${episode.reward}`)
  const ending = account?.(course) ?? plain(`reward ${episode.reward}`)
  const why = forfeitText(course)
  if (why === undefined) return ending
  return { ...ending, why: `forfeited: ${why}` }
}

const plain = (why: string): Ending => ({ why, shown: [], better: undefined })

/** An ending as lines for people. */
export function endingTexts({ why, shown, better }: Ending): readonly string[] {
  const lines = [why, ...shown.map((line) => `  ${line}`)]
  if (better !== undefined) lines.push(better)
  return lines
}

/** Why an episode was forfeited, in words; undefined when it was not. */
function forfeitText({ turns, forfeit }: Course): string | undefined {
  const reply = turns.at(-1)?.reply ?? ''
  const line = printable(reply.slice(reply.lastIndexOf('\n') + 1), 80)
  if (forfeit === 'illegal') return `"${line}" is not allowed there`
  if (forfeit === 'oversize') return 'the reply has more than 4096 bytes'
  if (forfeit === 'no-reply') return 'there was no usable reply'
  if (forfeit !== 'unreadable') return undefined
  if (line === '') return 'the last line is empty, and it must be the answer'
  return `the last line, "${line}", is no answer`
}
