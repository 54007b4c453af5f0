import { render } from 'preact'
import { App } from './app.tsx'
import { networkFrom } from './network-file.ts'
import './styles/colours.css'
import './styles/page.css'
import './styles/text.css'
import './styles/parts.css'
import './styles/proof.css'
import './styles/charts.css'

/** The network that the file beside the page names, or the page's own address. */
async function readNetwork() {
  const place = { search: location.search, base: document.baseURI }
  const answer = await fetch('network.json', { cache: 'no-cache' }).catch(() => undefined)
  const file: unknown = answer?.ok ? await answer.json().catch(() => undefined) : undefined
  return networkFrom(file, place)
}

const network = await readNetwork()
const named = network.ok ? network.value : undefined
const refusal = network.ok ? undefined : network.detail
const root = document.getElementById('app')
if (root !== null) render(<App network={named} refusal={refusal} />, root)
