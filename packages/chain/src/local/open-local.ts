import { ChainError } from '../chain-error.ts'
import type { OpenAt } from '../opening.ts'
import { LocalChain } from './local-chain.ts'
import { remoteChain } from './remote-chain.ts'

const nothing = async (): Promise<void> => {}

/** Opens a local chain that `serveLocal` serves at the URL `name`. */
export const openServed: OpenAt = async ({ name, fetch, onRetry }) => {
  const chain = await remoteChain(name, { fetch, onRetry })
  return { chain, goesOn: true, close: nothing }
}

/** Opens the export of a local chain, the file `name`. */
export const openExport: OpenAt = async ({ name, readText }) => {
  const chain = exported(name, await readText(name))
  return { chain, goesOn: false, close: nothing }
}

/** @throws ChainError as `LocalChain.import`, which names the file. */
function exported(name: string, text: string): LocalChain {
  try {
    return LocalChain.import(text)
  } catch (cause) {
    const { code, message } = cause as ChainError
    const why = message.slice(code.length)
    throw new ChainError(code, `${name} is no whole export of a chain${why}`, { cause })
  }
}
