import { startFeed } from './feed.ts'
import { chooseNetwork } from './network-file.ts'
import './styles/page.css'
import './styles/text.css'
import './styles/parts.css'
import './styles/proof.css'
import './styles/bars.css'

// The network is in the file next to the page, or in the page's address.
const answer = await fetch('network.json', { cache: 'no-cache' }).catch(() => undefined)
const file: unknown = answer?.ok ? await answer.json().catch(() => undefined) : undefined
const read = chooseNetwork(file, { search: location.search, base: document.baseURI })
const network = read.ok ? read.value : undefined
// The worker reads the network while the page loads, in several tasks, so that no task is long.
const feed = startFeed(network?.file, read.ok ? undefined : read.detail)
await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
const { showApp } = await import('./app.tsx')
setTimeout(() => showApp({ network, ...feed }))
