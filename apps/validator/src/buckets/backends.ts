import type { Setting } from '../settings/setting.ts'
import type { Backend } from './backend.ts'
import { DIRECTORY } from './directory.ts'
import { GCS } from './gcs.ts'
import { S3 } from './s3.ts'

/** The places where a validator can keep its bucket, in the order of `af setup`. */
export const BACKENDS: readonly Backend[] = [S3, GCS, DIRECTORY]

/** The backend to which a setting belongs; undefined for a setting of every validator. */
export function backendOf({ name }: Pick<Setting, 'name'>): Backend | undefined {
  return BACKENDS.find(({ settings }) => settings.some((each) => each.name === name))
}

/** The backends for which a setting without a default is given. */
export function backendsIn(given: object): readonly Backend[] {
  const isMeant = ({ name, type }: Setting): boolean =>
    Object.hasOwn(given, name) && !type.safeParse(undefined).success
  return BACKENDS.filter(({ settings }) => settings.some(isMeant))
}
