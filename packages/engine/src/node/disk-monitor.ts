import { statfs } from 'node:fs/promises'
import type { Chain } from '@affine/chain'
import type { Event, Setup } from '../setup.ts'

/** What is monitored, and the listener. `folders` are paths, named by what they hold. */
interface Watched {
  readonly chain: Pick<Chain, 'time'>
  readonly folders: Readonly<Record<string, string>>
  /** The time of day, in milliseconds. */
  readonly now: () => number
  readonly on: Setup['on']
}

/**
 * Reads the free space on disk and the age of the block at every head, one reading at a time. A
 * reading that fails is left out, and is not reported as a problem.
 */
export function diskMonitor({ chain, folders, now, on }: Watched): Setup['on'] {
  let isLooking = false
  return (event) => {
    if (event.type !== 'head' || isLooking) return
    isLooking = true
    const seenMs = now()
    const tellAge = async (): Promise<void> =>
      on({ type: 'made', ageMs: seenMs - (await chain.time(event.head.number)) })
    const looks = Object.entries(folders).map(async (each) => on(await diskAt(each)))
    void Promise.allSettled([tellAge(), ...looks]).then(() => {
      isLooking = false
    })
  }
}

async function diskAt([folder, path]: readonly [string, string]): Promise<Event> {
  const { bavail, blocks, bsize } = await statfs(path)
  return { type: 'disk', folder, free: bavail * bsize, size: blocks * bsize }
}
