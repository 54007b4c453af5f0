/** A network that the page can read, as its JSON file names it. */
export interface NetworkFile {
  /**
   * The URL of a chain's export, which ends in `.json`; of `af localnet`; of a node, `wss://`; or
   * `finney` or `test`.
   */
  readonly chain: string
  /** Below which URL buckets are that were announced by a plain name. */
  readonly buckets?: string
  readonly netuid?: number
  readonly firstEpoch?: number
  /** Begins with the state that was attested so many epochs ago, and believes it. */
  readonly last?: number
  /** How hotkeys are called here. */
  readonly names?: Readonly<Record<string, string>>
}

const NUMBERS = ['netuid', 'firstEpoch', 'last'] as const
const NAMED = /^(finney|test)$/

/**
 * The network that a JSON value names, its URLs resolved against `base`; undefined for what names
 * none. A query with a `chain` says it all instead: then
 * nothing of the file counts.
 */
export function networkFrom(
  value: unknown,
  { search, base }: { readonly search: string; readonly base: string },
): NetworkFile | undefined {
  const query = Object.fromEntries(new URLSearchParams(search))
  const file = 'chain' in query ? query : value
  if (typeof file !== 'object' || file === null) return undefined
  const { chain, buckets, names } = file as Readonly<Record<string, unknown>>
  const place = urlOf(chain, base)
  if (place === undefined) return undefined
  const below = urlOf(buckets, base)
  return {
    chain: place,
    ...(below !== undefined && { buckets: below }),
    ...numbersIn(file as Readonly<Record<string, unknown>>),
    ...(isNames(names) && { names }),
  }
}

function urlOf(text: unknown, base: string): string | undefined {
  if (typeof text !== 'string' || text === '') return undefined
  if (NAMED.test(text)) return text
  return URL.canParse(text, base) ? new URL(text, base).href : undefined
}

function numbersIn(file: Readonly<Record<string, unknown>>): Partial<NetworkFile> {
  const given = NUMBERS.map((name) => [name, Number(file[name] ?? Number.NaN)] as const)
  return Object.fromEntries(given.filter(([, value]) => Number.isSafeInteger(value) && value >= 0))
}

function isNames(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).every((name) => typeof name === 'string')
}
