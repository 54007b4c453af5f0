import type { Bucket } from '@affine/blocks'
import type { AgentOf, Hear } from '@affine/miners'
import type { Network } from '@affine/settlement'

/** The hotkey that is examined, and what that needs from outside. */
export interface Examination {
  readonly hotkey: string
  /** What it would validate with; or why that is not examined. */
  readonly own: OwnSettings | Finding
  /** The folder or URL that holds the buckets announced by name. */
  readonly base: string | undefined
  /** Will it validate, even if its slot has a miner's model? */
  readonly validates?: boolean
  /** Asks miners. Throws a RangeError that says why they cannot be asked. */
  readonly agents: (network: Network, on: Hear) => AgentOf
  /** Says what failed. */
  readonly faultText: (error: Error) => string
}

/** The settings of a validator that are examined. */
export interface OwnSettings {
  readonly folder: string
  readonly bucket: {
    readonly open: (hotkey: string) => Bucket
    /** The folder that holds it beside those of others, if it is in one. */
    readonly folder?: string
  }
  /** Where everyone can read its bucket; its hotkey, as a name, if undefined. */
  readonly bucketUrl?: string | undefined
  readonly chutesApiKey?: string | undefined
}

/** The result of a check, and advice if something should be fixed. */
export interface Finding {
  readonly check: string
  readonly result: 'ok' | 'warn' | 'fail'
  readonly found: string
  readonly advice?: string | undefined
}

/** Nothing has to be fixed. */
export function ok(check: string, found: string): Finding {
  return { check, result: 'ok', found }
}

/** Something may have to be fixed. */
export function warn(check: string, found: string, advice?: string): Finding {
  return { check, result: 'warn', found, advice }
}

/** Something must be fixed. */
export function fail(check: string, found: string, advice?: string): Finding {
  return { check, result: 'fail', found, advice }
}
