/** The blocks, worked examples and constants of docs/protocol.md. */
import { type EnvsConstants, PROTOCOL, type Protocol } from '../packages/duel/src/index.ts'
import type { Flaw } from '../packages/settlement/src/index.ts'
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

/** Flaws that are not faults of a lane. */
export const FLAW_CODES: readonly Flaw['code'][] = [
  'COPY_MISSING',
  'SIGNED_TWICE',
  'NEVER_SEALED',
  'WRONG_ROOT_ATTESTED',
  'STATE_MISSING',
  'STATE_DIFFERS',
]

/** Environments described on the page. A network may have others too. */
const ENVS = find('specHash').in as readonly string[]

/** The main network's constants, with the environments of the page. */
export const MAIN: Protocol = {
  ...PROTOCOL,
  envs: onPage(PROTOCOL.envs),
}

/** Returns the constants of the environments described on the page. */
export function onPage(envs: EnvsConstants): EnvsConstants {
  return Object.fromEntries(Object.entries(envs).filter(([id]) => ENVS.includes(id)))
}
