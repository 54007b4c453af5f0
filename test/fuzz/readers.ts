import type { Reader } from './fuzz.ts'
import { chainReaders } from './readers/chain.ts'
import { duelReaders } from './readers/duel.ts'
import { evidenceReaders } from './readers/evidence.ts'
import { nodeReaders } from './readers/node.ts'
import { serviceReaders } from './readers/service.ts'

/** Resolves with all readers of untrusted bytes. */
export async function openReaders(): Promise<readonly Reader[]> {
  return [
    ...(await evidenceReaders()),
    ...duelReaders,
    ...(await chainReaders()),
    ...nodeReaders,
    ...(await serviceReaders()),
  ]
}
