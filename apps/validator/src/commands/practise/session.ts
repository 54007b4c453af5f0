import { make } from '@affine/envs'
import {
  type Exercise,
  expectReply,
  openPlayer,
  type PlayedExercise,
  practise,
  resumeRun,
} from '@affine/miners'
import { lockFile, openJournal } from '@affine/node/disk'
import {
  describeSoloEnding,
  formatPractice,
  formatPracticeLoss,
  isLost,
  isPerfect,
  summarisePractice,
} from '@affine/report'
import { SYSTEM_CLOCK } from '@affine/settlement'
import { type Output, readNamed } from '@affine/terminal'
import { createAsking, createProgress, printFailures } from '../solo.ts'

export interface Session {
  readonly player: string
  readonly model: string
  /** Maximum number of challenges in each environment. */
  readonly challenges: number
  /** Share of moves that the scripted opponent chooses well in games, 0 to 1. */
  readonly strength: number
  /** The file of results. Default: results are not stored. */
  readonly resume?: string | undefined
  /** Minimum share, or with `--network` probability, for exit code 0. Default: 0. */
  readonly atLeast?: number | undefined
  /** Maximum number of concurrent challenges. */
  readonly ahead: number
  readonly screen: Output
  readonly signal: AbortSignal
}

/** A journal that stores nothing. */
const NO_JOURNAL = { entries: [], append: async () => {}, [Symbol.asyncDispose]: async () => {} }

/** Maximum number of lost challenges that are printed for each environment. */
const MAX_SHOWN = 3

/**
 * Plays the exercises of the file `resume` that have no result yet. Plays `drawn` without a file,
 * or if the file is new. A file can continue only a practice with the same terms, player, model,
 * strength and number of challenges.
 * `terms.against` is the commitment digest of the champion whose challenges are played.
 * @throws NoAnswer without a usable reply; RangeError if the file is of another practice.
 */
export async function playPractice(
  terms: { readonly envs: readonly string[]; readonly against?: string },
  drawn: readonly Exercise[],
  session: Session,
): Promise<readonly PlayedExercise[]> {
  const { player: name, model, challenges, strength, screen, signal, ahead, resume } = session
  await using _file = resume === undefined ? undefined : await readNamed(lockFile(resume))
  await using journal = resume === undefined ? NO_JOURNAL : await openJournal(resume)
  // The strength is a string, because a journal cannot store fractions.
  const identity = { ...terms, player: name, model, challenges, strength: String(strength) }
  const resumed = await resumeRun(journal, { practice: identity }, { exercises: drawn })
  if (resumed === undefined)
    throw new RangeError(
      '"--resume" expected a file of this practice: name another file, or repeat its arguments',
    )
  const { exercises } = resumed
  const stored = journal.entries.length - 1
  if (stored >= 0)
    screen.line(`continuing after ${stored} challenges`, { type: 'resumed', played: stored })
  const asking = { ...createAsking(session, signal), env: terms.envs[0] }
  screen.wait(`waiting for a reply of ${name}`)
  const player = await openPlayer(name, 'practice', asking)
  let count = Math.max(stored, 0)
  const countText = () => `${count} of ${exercises.length}`
  const advice = resume ? 'repeat the command to continue' : 'only --resume stores results'
  const stopped = () => `stopped after ${countText()} challenges: ${advice}`
  const show = createProgress(screen, signal, stopped)
  const on = (played: readonly PlayedExercise[]): void => {
    count = played.length
    const well = played.filter(isPerfect).length
    show(`${countText()} played, ${well} perfectly or won`)
  }
  const playing = { player, strength, ahead, signal, time: SYSTEM_CLOCK }
  const all = await practise({ exercises, journal, ...playing, on })
  printFailures(name, player, screen)
  expectReply(name, all, player)
  return all
}

/** Prints the result of an environment and returns the share of won or perfect challenges. */
export function printEnvironment(
  env: string,
  all: readonly PlayedExercise[],
  { screen, strength }: Session,
): number {
  const { spec } = make(env)
  const opponent = spec.game && { strength }
  const played = all.flatMap((each) => (each.env === env ? { ...each, ...opponent } : []))
  const result = summarisePractice(env, played)
  screen.line(formatPractice(result, spec), { type: 'result', ...result })
  for (const each of played.filter(isLost).slice(0, MAX_SHOWN)) {
    const ending = describeSoloEnding(each, each)
    screen.line(formatPracticeLoss(each, ending), { type: 'lost', ...each, ending })
  }
  return result.well.count / result.challenges
}
