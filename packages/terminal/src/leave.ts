import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 10
const POLLS = 500

/**
 * Ends this process with an exit code. `process.exit` waits for every call to a disk: where one
 * hangs it would never return, deaf to signals. So those under way have five seconds; then the
 * process is killed. Others may begin meanwhile: they are taken to end as those did.
 */
export async function leave(code: number): Promise<never> {
  const begun = new Set(callsToDisks())
  for (let polls = 0; callsToDisks().some((call) => begun.has(call)); polls++) {
    if (polls === POLLS) kill()
    await sleep(POLL_MS)
  }
  process.exit(code)
}

/** The calls to a disk that are under way; nothing that is documented tells one from another. */
function callsToDisks(): readonly object[] {
  const { _getActiveRequests } = process as unknown as { _getActiveRequests(): readonly object[] }
  return _getActiveRequests().filter((request) => request.constructor.name.startsWith('FSReq'))
}

function kill(): void {
  process.stderr.write('a disk does not answer: killed\n')
  process.kill(process.pid, 'SIGKILL')
}

const ignore = (): void => {}

/**
 * Ends this process when its standard output fails: without a word and with 0 when its reader has
 * gone, who has read enough; else with 1, and `say` says why.
 */
export function leaveWithStdout(say: (text: string) => void): void {
  process.stderr.on('error', ignore) // where would it be said?
  process.stdout.on('error', ignore).once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return leave(0)
    say(`standard output: ${error.message}`)
    return leave(1)
  })
}

/** From now on this process goes on when its standard output fails: what it says is lost. */
export function outliveStdout(): void {
  process.stdout.removeAllListeners('error').on('error', ignore)
}
