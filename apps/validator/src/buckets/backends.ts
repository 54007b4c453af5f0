import type { Setting } from '../settings/setting.ts'
import type { Backend } from './backend.ts'
import { DIRECTORY } from './directory.ts'
import { GCS } from './gcs.ts'
import { S3 } from './s3.ts'

/** Where a validator may keep its bucket, in the order in which `af setup` offers it. */
export const BACKENDS: readonly Backend[] = [S3, GCS, DIRECTORY]

/** The backend whose setting this is; undefined for one that every validator may be told. */
export function backendOf({ name }: Pick<Setting, 'name'>): Backend | undefined {
  return BACKENDS.find(({ settings }) => settings.some((each) => each.name === name))
}

/** The backends of which something is given that has no default. */
export function backendsIn(given: object): readonly Backend[] {
  const isMeant = ({ name, type }: Setting): boolean =>
    Object.hasOwn(given, name) && !type.safeParse(undefined).success
  return BACKENDS.filter(({ settings }) => settings.some(isMeant))
}
