import { startFeed } from './feed.ts'
import { readNetworkFile } from './network-file.ts'
import './styles/page.css'
import './styles/text.css'
import './styles/parts.css'
import './styles/proof.css'
import './styles/bars.css'

const answer = await fetch('network.json', { cache: 'no-cache' }).catch(() => undefined)
const file: unknown = answer?.ok ? await answer.json().catch(() => undefined) : undefined
const network = readNetworkFile(file, document.baseURI)
// The worker reads the network while the page loads, in several tasks, so that no task is long.
const feed = startFeed(network)
await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
const { showApp } = await import('./app.tsx')
setTimeout(() => showApp({ network: network.ok ? network.value : undefined, ...feed }))
