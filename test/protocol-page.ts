/** The blocks, worked examples and constants of docs/protocol.md. */
import { type EnvsConstants, PROTOCOL, type Protocol } from '../packages/duel/src/index.ts'
import { read } from './repository.ts'

export const page: string = read('docs/protocol.md')

export function fencedBlocks(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block]) => block ?? '',
  )
}

interface Example {
  readonly example: string
  readonly in: unknown
  readonly out: unknown
}

export const shown: readonly Example[] = fencedBlocks('json').map((block) => JSON.parse(block))

export function find(name: string): Example {
  const found = shown.find(({ example }) => example === name)
  if (found === undefined) throw new Error(`docs/protocol.md has no example "${name}"`)
  return found
}

/** Environments described on the page. A network may have others too. */
export const ENVS = find('specHash').in as readonly string[]

/** The main network's constants, with the environments of the page. */
export const MAIN: Protocol = {
  ...PROTOCOL,
  envs: onPage(PROTOCOL.envs),
}

/** Returns the constants of the environments described on the page. */
export function onPage(envs: EnvsConstants): EnvsConstants {
  return Object.fromEntries(Object.entries(envs).filter(([id]) => ENVS.includes(id)))
}
