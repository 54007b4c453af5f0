import { holdFile, openJournal } from '@affine/engine/node'
import {
  type Exercise,
  exercisesOf,
  openPlayer,
  type Played,
  type Practice,
  practise,
} from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { endingOf } from '@affine/report'
import type { Output } from '@affine/terminal'
import { isLost, lostText, resultOf, resultText } from './result.ts'

/** What the command was told. */
interface Asked {
  readonly player: string
  readonly model: string
  readonly challenges: number
  readonly show: number
  readonly resume?: string | undefined
  readonly atLeast?: number | undefined
  readonly ahead: number
  readonly giveUp: number
}

/** The same, where things are said, and what ends it. */
export interface Session extends Asked {
  readonly screen: Output
  readonly signal: AbortSignal
}

/** Plays, from where the file has come to; `drawn` are the exercises where it has none. */
export async function playPractice(
  practice: Practice,
  drawn: readonly Exercise[],
  { screen, signal, ahead, giveUp, resume }: Session,
): Promise<readonly Played[]> {
  const asking = { ...NODE_CALLER, model: practice.model, giveUpMs: giveUp * 1000, signal }
  const player = await openPlayer(practice.player, 'practice', asking)
  await using _file = resume === undefined ? undefined : await holdFile(resume)
  await using journal = await journalAt(resume)
  const exercises = await exercisesOf(practice, journal, drawn)
  const kept = journal.entries.length - 1
  if (kept >= 0) screen.line(`taking up ${kept} challenges`, { type: 'resumed', played: kept })
  const on = (played: readonly Played[]): void => {
    const well = played.filter(({ reward, best }) => reward >= best).length
    screen.status(`${played.length} of ${exercises.length} played, ${well} as well as can be`)
  }
  // Waited for here: the file is closed then.
  return await practise({ exercises, journal, player, ahead, signal, on })
}

/** The journal in a file; without one nothing is kept. */
async function journalAt(file: string | undefined): ReturnType<typeof openJournal> {
  if (file !== undefined) return openJournal(file)
  return { entries: [], append: async () => {}, [Symbol.asyncDispose]: async () => {} }
}

/** Says what came of an environment: which share of it was played as well as can be? */
export function sayEnvironment(
  env: string,
  all: readonly Played[],
  { screen, show }: Session,
): number {
  const played = all.filter((each) => each.env === env)
  const result = resultOf(env, played)
  screen.line(resultText(result), { type: 'result', ...result })
  for (const each of played.filter(isLost).slice(0, show))
    screen.line(lostText(each), { type: 'lost', ...each, ending: endingOf(each, each) })
  return result.well.count / result.challenges
}
