import type { Socket } from 'node:net'
import { selfSigned } from '../packages/settlement/test/certificate.ts'
import { DEEDS, hostileServer } from '../packages/settlement/test/hostile-server.ts'
import { listen } from './web-server.ts'

// Serves hostile answers in a separate process, so that they cost the reader no processor time.
// Prints its two URLs and its certificate, and then once a second its number of open connections.
let open = 0
const { key, cert } = selfSigned('bucket.test')
const serve = async (scheme: string, tls?: { key: string; cert: string }): Promise<string> => {
  const server = hostileServer((path) => {
    const [deed] = DEEDS[decodeURIComponent(path.split('/')[1] ?? '')] ?? []
    return deed ?? (() => undefined)
  }, tls)
  server.on('connection', (socket: Socket) => {
    open += 1
    socket.once('close', () => (open -= 1))
  })
  return (await listen(server)).replace(/^http/, scheme)
}
const [http, https] = [await serve('http'), await serve('https', { key, cert })]
console.log(JSON.stringify({ http, https, cert }))
setInterval(() => console.log(`open: ${open}`), 1000)
