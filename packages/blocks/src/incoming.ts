import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** A response. Its reader tells `take` how many bytes it got, inflated if they are. */
export interface Incoming {
  readonly response: IncomingMessage
  readonly take: (bytes: number) => void
}

/** What a server may send before its response is there: a full head, and interim answers. */
const HEAD_BYTES = 2 ** 15
/** What it may send beyond twice what the reader got. Half of it may be waiting to be read. */
const EXCESS_BYTES = 2 ** 18

/** An error with a code, as Node's own have. */
const coded = (code: string, text: string): Error => Object.assign(new Error(text), { code })

/**
 * Sends a request off and resolves with the head of its response. The connection ends when its
 * server sends much that nobody gets: interim answers without end, chunks of one byte, gzip of
 * nothing, anything that was not asked for. That costs this process some milliseconds.
 */
export function responseTo(outgoing: ClientRequest, body?: Uint8Array | string): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    let left = HEAD_BYTES
    let stream: ClientRequest | IncomingMessage = outgoing
    const count = ({ length }: Buffer): void => {
      left -= length
      if (left < 0) stream.destroy(coded('HPE_EXCESS', 'it sends far more than there is to read'))
    }
    const take = (bytes: number): void => {
      left += 2 * bytes
    }
    outgoing.once('socket', (socket) => {
      socket.off('data', destroy).on('data', count)
      outgoing.once('close', () => socket.off('data', count).on('data', destroy))
    })
    outgoing.once('response', (response) => {
      left = EXCESS_BYTES
      stream = response
      resolve({ response, take })
    })
    // Stays, also for what fails after the head.
    outgoing.on('error', reject)
    outgoing.on('close', () => reject(coded('ECONNRESET', 'the connection was closed')))
    outgoing.end(body)
  })
}

/** Of a connection that is kept: nothing was asked. */
function destroy(this: Socket): void {
  this.destroy()
}
