import type { Backend } from '../buckets/backend.ts'
import { BACKENDS } from '../buckets/backends.ts'
import { CHAIN, HOTKEY } from './chain-settings.ts'
import type { Given } from './group.ts'
import type { Setting } from './setting.ts'
import { PLACE, SERVICE, WORK } from './validator-settings.ts'

const GROUPS = [CHAIN, HOTKEY, WORK, ...BACKENDS, PLACE, SERVICE]

/** All settings of a validator, in the order in which they are shown. */
export const SETTINGS: readonly Setting[] = GROUPS.flatMap(({ settings }) => settings)

/** The values of a validator's settings. `network` has all nodes. */
export type Settings = NonNullable<ReturnType<typeof settingsOf>>

/** Reads settings from texts; undefined when a text is not valid. */
export function settingsOf(given: Given, backend: Backend) {
  const [chain, work, service] = [CHAIN.read(given), WORK.read(given), SERVICE.read(given)]
  const [place, bucket] = [PLACE.read(given), backend.read(given)]
  if (!chain || !work || !service || !place || !bucket) return undefined
  const { network, fallback } = chain
  const nodes = fallback === undefined ? network : `${network},${fallback}`
  const { bucketUrl = bucket.url } = place
  return { ...chain, ...work, ...service, network: nodes, bucket, bucketUrl }
}
