import { startFeed } from './feed.ts'
import { chooseNetwork } from './network-file.ts'
import './styles/colours.css'
import './styles/page.css'
import './styles/text.css'
import './styles/parts.css'
import './styles/proof.css'
import './styles/bars.css'

/** Reads the network from the file next to the page, or from the page's address. */
async function readNetwork() {
  const place = { search: location.search, base: document.baseURI }
  const answer = await fetch('network.json', { cache: 'no-cache' }).catch(() => undefined)
  const file: unknown = answer?.ok ? await answer.json().catch(() => undefined) : undefined
  return chooseNetwork(file, place)
}

const read = await readNetwork()
const network = read.ok ? read.value : undefined
// The worker reads the network while the page loads, in several tasks, so that none is long.
const feed = startFeed(network?.file, read.ok ? undefined : read.detail)
await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
const { showApp } = await import('./app.tsx')
setTimeout(() => showApp({ network, ...feed }))
