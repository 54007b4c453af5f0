import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 10
const POLLS = 500

/**
 * Ends this process with an exit code. `process.exit` waits for every disk call: if one hangs, it
 * never returns and ignores signals. So the calls under way get five seconds; then the process is
 * killed. Calls that begin later are not waited for.
 */
export async function leave(code: number): Promise<never> {
  const begun = new Set(callsToDisks())
  for (let polls = 0; callsToDisks().some((call) => begun.has(call)); polls++) {
    if (polls === POLLS) {
      process.stderr.write('a disk does not answer: killed\n')
      process.kill(process.pid, 'SIGKILL')
    }
    await sleep(POLL_MS)
  }
  process.exit(code)
}

/** The disk calls under way. Node has no documented way to list them. */
function callsToDisks(): readonly object[] {
  const { _getActiveRequests } = process as unknown as { _getActiveRequests(): readonly object[] }
  return _getActiveRequests().filter((request) => request.constructor.name.startsWith('FSReq'))
}

const ignore = (): void => {}

/**
 * Ends this process when its standard output fails. If the reader has closed it, the process ends
 * silently with 0; otherwise with the code `failed`, and `say` gets the reason.
 */
export function leaveWithStdout(say: (text: string) => void, failed: number): void {
  process.stderr.on('error', ignore) // an error of standard error cannot be reported
  process.stdout.on('error', ignore).once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return leave(0)
    say(`standard output: ${error.message}`)
    return leave(failed)
  })
}

/** From now on this process continues when its standard output fails, and its output is lost. */
export function outliveStdout(): void {
  process.stdout.removeAllListeners('error').on('error', ignore)
}
