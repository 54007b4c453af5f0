import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'

/** Path of Firefox; the test that needs it is skipped without it. */
const EXECUTABLE = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr'

export const HAS_FIREFOX: boolean = existsSync(EXECUTABLE)

/** A page in its own Firefox. */
export interface FirefoxPage extends AsyncDisposable {
  /** Errors that the page logged or threw. */
  readonly problems: readonly string[]
  readonly open: (url: string) => Promise<void>
  /**
   * Resolves with the value of an expression in the page, as JSON, once it is neither null nor
   * undefined.
   */
  readonly see: (expression: string) => Promise<unknown>
  /** Clicks the first element of a selector, once it exists, like a mouse. */
  readonly click: (selector: string) => Promise<void>
}

/**
 * Starts Firefox with an empty profile. Controls it by WebDriver BiDi, the standard, because
 * Playwright needs a newer or patched Firefox than Debian's.
 */
export async function startFirefox(): Promise<FirefoxPage> {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'))
  const words = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
  const child = spawn(EXECUTABLE, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  const { send, problems } = await connect(await endpointOf(child.stderr))
  await send('session.new', { capabilities: {} })
  await send('session.subscribe', { events: ['log.entryAdded'] })
  const { contexts } = await send('browsingContext.getTree', {})
  const { context } = contexts[0]
  const see = async (expression: string): Promise<unknown> => {
    const script = `(async () => {
      for (;;) {
        const seen = ${expression}
        if (seen != null) return JSON.stringify(seen)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    })()`
    const params = { expression: script, awaitPromise: true, target: { context } }
    const { result, exceptionDetails } = await send('script.evaluate', params)
    if (exceptionDetails) throw new Error(exceptionDetails.text)
    return JSON.parse(result.value)
  }
  const click = async (selector: string): Promise<void> => {
    const found = `document.querySelector(${JSON.stringify(selector)})`
    await see(`${found}?.scrollIntoView({ block: 'center', behavior: 'instant' }) ?? ${found}`)
    const middle = `(({ x, y, width, height }) => [x + width / 2, y + height / 2])`
    const place = await see(`${middle}(${found}.getBoundingClientRect())`)
    const [x, y] = (place as number[]).map(Math.round)
    const actions = [
      { type: 'pointerMove', x, y },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]
    const mouse = { type: 'pointer', id: 'mouse', actions }
    await send('input.performActions', { context, actions: [mouse] })
  }
  return {
    problems,
    see,
    click,
    open: (url) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    [Symbol.asyncDispose]: async () => {
      await send('browser.close', {})
      await ended
      await rm(profile, { recursive: true })
    },
  }
}

/** Resolves with the address on which Firefox listens. */
async function endpointOf(output: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface(output)
  for await (const line of lines) {
    const [, url] = /^WebDriver BiDi listening on (ws:.*)$/.exec(line) ?? []
    if (url !== undefined) {
      output.resume()
      return `${url}/session`
    }
  }
  throw new Error('Firefox ended before it listened')
}

/** A response to a command. */
type Answer = ReturnType<typeof JSON.parse>

interface Connection {
  readonly send: (method: string, params: object) => Promise<Answer>
  readonly problems: readonly string[]
}

async function connect(url: string): Promise<Connection> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const problems: string[] = []
  const waiting = new Map<number, (answer: Answer) => void>()
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    waiting.get(message.id)?.(message)
    if (message.method === 'log.entryAdded' && message.params.level === 'error')
      problems.push(message.params.text)
  })
  let sent = 0
  const send = async (method: string, params: object): Promise<Answer> => {
    const id = ++sent
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params }))
    const { type, result, message } = await answered
    if (type === 'error') throw new Error(`${method}: ${message}`)
    return result
  }
  return { send, problems }
}
