import type { Snapshot } from '@affine/chain'
import type { Subnet } from './networks.ts'
import { commitmentsOf } from './snapshot.ts'
import { snapshotBlock } from './timetable.ts'

/** An address, and the block in which its hotkey announced it, as one snapshot has them. */
interface Announced {
  readonly hotkey: string
  readonly address: string
  readonly block: number
}

/** The block of an announcement at the end of the first epoch from which it stood until `epoch`. */
interface Known {
  readonly epoch: number
  readonly block: number
}

/**
 * Whose the announced buckets are. Two voters at one address are one bucket: it belongs to the one
 * that the address names, else to the one that has announced it the longest, at the ends of all
 * epochs since the network's first. The chain is looked back at only for who shares an address.
 * Protocol §5.2.
 */
export class Owners {
  readonly #subnet: Subnet
  /** By hotkey and address, so that nothing is looked back at twice. */
  readonly #known = new Map<string, Known>()

  constructor(subnet: Subnet) {
    this.#subnet = subnet
  }

  /** Of these voters, those whose bucket is another's at the end of `epoch`. */
  async borrowers(voters: readonly string[], epoch: number): Promise<ReadonlySet<string>> {
    const announced = announcedIn(await this.#endOf(epoch))
    const groups = new Map<string, Announced[]>()
    for (const each of voters.flatMap((hotkey) => announced.get(hotkey) ?? [])) {
      groups.set(each.address, [...(groups.get(each.address) ?? []), each])
    }
    const borrowed: string[] = []
    for (const group of groups.values()) {
      if (group.length === 1) continue
      const owner = await this.#ownerOf(group, epoch)
      borrowed.push(...group.flatMap(({ hotkey }) => (hotkey === owner ? [] : [hotkey])))
    }
    return new Set(borrowed)
  }

  async #ownerOf(group: readonly Announced[], epoch: number): Promise<string | undefined> {
    const ranked: { hotkey: string; rank: number }[] = []
    for (const each of group) {
      const { hotkey, address } = each
      const isNamed = hotkey === address // comes before earlier ones
      ranked.push({ hotkey, rank: isNamed ? -1 : await this.#firstBlock(each, epoch) })
    }
    return ranked.sort((a, b) => a.rank - b.rank)[0]?.hotkey
  }

  /** The block in which a hotkey first announced what it does at the end of `epoch`. */
  async #firstBlock({ hotkey, address, block }: Announced, epoch: number): Promise<number> {
    const key = `${hotkey} ${address}`
    const known = this.#known.get(key)
    let first = block
    for (let before = epoch - 1; before >= this.#subnet.network.firstEpoch; before--) {
      const then = announcedIn(await this.#endOf(before)).get(hotkey)
      if (then?.address !== address) break
      first = then.block
      if (known?.epoch !== before) continue
      first = known.block
      break
    }
    this.#known.set(key, { epoch, block: first })
    return first
  }

  #endOf(epoch: number): Promise<Snapshot> {
    const { chain, network } = this.#subnet
    return chain.snapshot(snapshotBlock(epoch + 1, network.protocol))
  }
}

/** What hotkeys that are no miners announce, by hotkey. */
function announcedIn(snapshot: Snapshot): ReadonlyMap<string, Announced> {
  const announced = new Map<string, Announced>()
  for (const [hotkey, said] of commitmentsOf(snapshot)) {
    if (said.kind === 'miner') continue
    announced.set(hotkey, { hotkey, address: addressOf(said.url), block: said.block })
  }
  return announced
}

/** One text for the ways to write an address. */
function addressOf(url: string): string {
  if (!URL.canParse(url)) return url.replace(/\/+$/, '')
  const { protocol, hostname, port, pathname } = new URL(url)
  const path = pathname.replace(/\/+/g, '/').replace(/\/$/, '')
  return `${protocol}//${hostname.replace(/\.$/, '')}:${port}${path}`
}
