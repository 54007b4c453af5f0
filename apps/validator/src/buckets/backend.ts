import type { Bucket } from '@affine/blocks'
import type * as z from 'zod'
import { defineGroup, type Group } from '../settings/group.ts'

/** A validator's own bucket, as its settings define it. */
export interface OwnBucket {
  /** Opens it for writing. */
  readonly open: (hotkey: string) => Bucket
  /** The folder that holds all buckets, if the bucket is in a folder. */
  readonly folder?: string
  /** The URL at which everyone can read it, if it follows from the settings. */
  readonly url?: string
}

/**
 * A kind of place for a bucket, with its settings in the order in which `af setup` asks for them.
 * Others read every bucket at an http(s) URL, or in a folder.
 */
export interface Backend extends Group<OwnBucket> {
  /** Its text in `af setup`. */
  readonly label: string
  /** Must `bucketUrl` be given too? */
  readonly needsUrl: boolean
}

interface BackendDefinition<Shape extends Record<string, z.ZodType>>
  extends Pick<Backend, 'label' | 'needsUrl'> {
  readonly settings: Shape
  readonly bucketOf: (settings: z.output<z.ZodObject<Shape>>) => OwnBucket
}

/** A backend, from the types of its settings and a function that opens the bucket. */
export function defineBackend<Shape extends Record<string, z.ZodType>>(
  definition: BackendDefinition<Shape>,
): Backend {
  const { label, needsUrl, bucketOf } = definition
  const { settings, read } = defineGroup('Bucket', definition.settings)
  const bucketIn = (values: ReturnType<typeof read>): OwnBucket | undefined =>
    values && bucketOf(values)
  return { label, needsUrl, settings, read: (given) => bucketIn(read(given)) }
}
