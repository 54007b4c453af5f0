import type { AddressInfo } from 'node:net'
import { DEEDS, hostileServer } from '../packages/settlement/test/hostile-server.ts'

/** A process of its own, so that what it does costs the reader nothing. It prints its port. */
const server = hostileServer((path) => {
  const [deed] = DEEDS[decodeURIComponent(path.split('/')[1] ?? '')] ?? []
  return deed ?? (() => undefined)
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
