import { LOCAL, type Protocol } from '@affine/duel'

/** What a subnet's participants must agree on before the first block: its rules, and the epoch they start with. */
export interface Network {
  readonly name: string
  readonly protocol: Protocol
  readonly firstEpoch: number
}

/** Networks by name. `local` has short epochs and a smaller cap, for one machine. */
export const networks: Readonly<Record<string, Network>> = Object.freeze({
  local: Object.freeze({ name: 'local', protocol: LOCAL, firstEpoch: 0 }),
})

/** The network of that name. @throws RangeError that lists the known names. */
export function networkOf(name: string): Network {
  const network = Object.hasOwn(networks, name) ? networks[name] : undefined
  if (network === undefined) {
    throw new RangeError(`"network" expected one of ${Object.keys(networks).join(', ')}, got ${JSON.stringify(name)}`)
  }
  return network
}
