import type { Bucket } from '@affine/blocks'
import type * as z from 'zod'
import { defineGroup, type Group } from '../settings/group.ts'

/** A validator's own bucket, where its settings say it is. */
export interface OwnBucket {
  /** Opens it for writing. */
  readonly open: (hotkey: string) => Bucket
  /** The folder that holds it beside those of others, where it is in one. */
  readonly folder?: string
  /** Where everyone can read it, where that follows from its settings. */
  readonly url?: string
}

/**
 * A kind of place for a bucket, with what must be given for one there, in the order in which it is
 * asked. Others read every bucket at an http(s) URL, or in a folder.
 */
export interface Backend extends Group<OwnBucket> {
  /** As `af setup` offers it. */
  readonly label: string
  /** Must a validator be told where everyone can read its bucket? */
  readonly needsUrl: boolean
}

interface BackendDefinition<Shape extends Record<string, z.ZodType>>
  extends Pick<Backend, 'label' | 'needsUrl'> {
  readonly settings: Shape
  readonly bucketOf: (settings: z.output<z.ZodObject<Shape>>) => OwnBucket
}

/** A backend by its settings' types, and what it makes of their values. */
export function defineBackend<Shape extends Record<string, z.ZodType>>(
  definition: BackendDefinition<Shape>,
): Backend {
  const { label, needsUrl, bucketOf } = definition
  const { settings, read } = defineGroup('Bucket', definition.settings)
  const bucketIn = (values: ReturnType<typeof read>): OwnBucket | undefined =>
    values && bucketOf(values)
  return { label, needsUrl, settings, read: (given) => bucketIn(read(given)) }
}
