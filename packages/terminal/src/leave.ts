import { setTimeout as sleep } from 'node:timers/promises'

/** The exit codes of `af` and `af-verify`. docs/errors.md has this table. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'done, and the checks found no flaw',
  1: 'the checks found a flaw',
  2: 'wrong usage: an option, a setting or a named file is wrong',
  3: 'the checks found no flaw, but --copies left out some copies',
  4: 'not done: something failed, refused, or was not available',
  130: 'stopped by Ctrl-C or SIGTERM',
}

export const FAILED = 4

export const EXIT_CODES_TEXT: string = Object.entries(EXIT_CODES)
  .map(([code, meaning]) => `  ${code.padEnd(4)} ${meaning}`)
  .join('\n')

const POLL_MS = 10
const POLLS = 500

/**
 * Ends this process with an exit code. `process.exit` waits for every disk call and ignores
 * signals, so it never returns if a disk call hangs. Therefore the calls in progress get five
 * seconds; then the process is killed.
 */
export async function leave(code: number = FAILED): Promise<never> {
  for (let polls = 0; hasDiskCalls(); polls++) {
    if (polls === POLLS) {
      process.stderr.write('a disk does not answer: killed\n')
      process.kill(process.pid, 'SIGKILL')
    }
    await sleep(POLL_MS)
  }
  process.exit(code)
}

const hasDiskCalls = (): boolean =>
  process.getActiveResourcesInfo().some((type) => type.startsWith('FSReq'))

const ignore = (): void => {}

/**
 * Ends this process when its standard output fails: silently with 0 if the reader has closed it;
 * otherwise with `FAILED`, and `say` gets the reason.
 */
export function leaveWithStdout(say: (text: string) => void): void {
  process.stderr.on('error', ignore) // an error of standard error cannot be reported
  process.stdout.on('error', ignore).once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return leave(0)
    say(`standard output: ${error.message}`)
    return leave()
  })
}

/** Lets this process continue when its standard output fails. Further output is lost. */
export function outliveStdout(): void {
  process.stdout.removeAllListeners('error').on('error', ignore)
}
