import { open, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { blockPath, LIMITS, NO_BLOCK, openHeader } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import type { Chain } from '@affine/chain'
import { verify } from '@affine/chain/account'
import { AlteredFile, OWNERS } from '@affine/node/disk'
import { canonicalize, type Hash } from '@affine/prng'

const RECORD = 'owner.json'
/** What a validator writes into its folder once it owns it. */
const CONTENTS = ['journal', 'secrets', 'v1']
const BLOCKS = dirname(blockPath(NO_BLOCK))
/** At least a block's header, its signature and their line feeds, in bytes. */
const SIGNED_BYTES = 2 * LIMITS.headerBytes
const LINE_FEED = 0x0a

/**
 * Records in `folder`, durably, that a hotkey on one subnet of one chain owns it; to be called
 * before a validator writes anything there. Journals, secrets and states of two validators must
 * not mix. A folder without files of a validator gets the record. A folder of an older version,
 * which wrote no record, gets it if this hotkey signed all its blocks, for this subnet.
 *
 * @throws RangeError, as a rejection, if the owner is another or unknown; AlteredFile if that is
 *   the record.
 */
export async function claimFolder(
  folder: string,
  { genesis, netuid }: Pick<Chain, 'genesis' | 'netuid'>,
  hotkey: string,
): Promise<void> {
  const store = directoryBucket(folder, OWNERS)
  const own = recordText(genesis, hotkey, netuid)
  const bytes = await store.read(RECORD, LIMITS.headerBytes)
  const owner =
    bytes === null ? await ownerByContents(folder, own) : new TextDecoder().decode(bytes)
  // An existing record is written too: a crash may have come before its sync.
  if (owner === own) return store.write(RECORD, new TextEncoder().encode(own))
  const place = resolve(folder)
  const named = ownerName(owner)
  if (named === undefined)
    throw new AlteredFile(join(place, RECORD), 'NOT_A_RECORD', 'it does not name an owner')
  throw new RangeError(
    `${place} belongs to ${named}, not to ${ownerName(own)}: ` +
      'name another folder, or use the key and the network of its owner',
  )
}

const recordText = (genesis: Hash, hotkey: string, netuid: number): string =>
  `${canonicalize({ genesis, hotkey, netuid })}\n`

/** The only texts of `recordText`. */
const RECORD_TEXT = /^\{"genesis":"([0-9a-f]{64})","hotkey":"(\w{1,64})","netuid":(\d{1,5})\}\n$/

/** Returns the owner in a record as a text for people; undefined for anything but a record. */
function ownerName(record: string): string | undefined {
  const [, genesis, hotkey, netuid] = RECORD_TEXT.exec(record) ?? []
  if (genesis === undefined) return undefined
  return `${hotkey} on subnet ${netuid} of the chain with genesis ${genesis}`
}

/**
 * Returns the record that a folder without one should have: `own` if a validator wrote nothing
 * there or `own` signed all blocks, else that of the first other signer.
 * @throws RangeError, as a rejection, if a validator wrote there and no block names it.
 */
async function ownerByContents(folder: string, own: string): Promise<string> {
  const names = await namesIn(folder)
  if (!CONTENTS.some((name) => names.includes(name))) return own
  let owner: string | undefined
  for (const name of await namesIn(join(folder, BLOCKS))) {
    const hash = /^([0-9a-f]{64})\.jsonl$/.exec(name)?.[1]
    if (hash === undefined) continue
    owner = await ownerByBlock(join(folder, blockPath(hash)), hash)
    if (owner !== own) return owner
  }
  if (owner !== undefined) return owner
  const place = resolve(folder)
  throw new RangeError(
    `${place} has a validator's files, but neither a record of its owner nor blocks: name ` +
      `another folder, or, if ${ownerName(own)} wrote them, put ${own.trim()} as a line into ` +
      join(place, RECORD),
  )
}

/** Returns the record of a block's signer, from the block's first lines only. */
async function ownerByBlock(path: string, hash: Hash): Promise<string> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SIGNED_BYTES))
  const lines = buffer.subarray(0, bytesRead)
  const end = lines.indexOf(LINE_FEED, lines.indexOf(LINE_FEED) + 1)
  const block = openHeader(lines.subarray(0, end + 1), { hash, verify })
  if (!block.ok) throw new AlteredFile(path, block.code, `${block.code}: ${block.detail}`)
  const { genesis, validator, netuid } = block.value.header
  return recordText(genesis, validator, netuid)
}

/** Returns the names in a folder, none if it is missing. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}
