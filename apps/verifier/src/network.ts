import { LOCAL, type Protocol } from '@affine/duel'

/** What a subnet's participants must agree on before the first block: its rules, and the epoch they start with. */
export interface Network {
  readonly protocol: Protocol
  readonly firstEpoch: number
}

/** Networks by name. `local` has short epochs and a smaller cap, for one machine. */
const networks: ReadonlyMap<string, Network> = new Map([['local', { protocol: LOCAL, firstEpoch: 0 }]])

/** The network of that name. @throws RangeError that lists the known names. */
export function networkOf(name: string): Network {
  const network = networks.get(name)
  if (network !== undefined) return network
  throw new RangeError(`"network" expected one of ${[...networks.keys()].join(', ')}, got ${JSON.stringify(name)}`)
}
