import { createHash } from 'node:crypto'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blockPath, statePath } from '@affine/blocks'
import { LocalChain, serveLocal } from '@affine/chain'
import { encodeState, type State, stateRoot } from '@affine/duel'
import { listenWith } from '@affine/node/listen'
import { LOCAL_NETWORK } from '@affine/settlement'
import { getRequestListener } from '@hono/node-server'
import { afterAll, describe, expect, it } from 'vitest'
import { runVerifier } from '../../../test/in-process.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { closeServers, serve } from '../../../test/web-server.ts'
import { LIAR } from '../src/commands/demo/subnet.ts'
import { serveBucketFiles } from '../src/service/served-files.ts'
import { parseRecords } from './commands.ts'
import { hotkeyOf, PARTICIPANTS, playSubnetOnce, recomputeIn } from './played-subnet.ts'

const root = testFolder('subnet')
const subnet = await playSubnetOnce()
const honest = await recomputeIn(subnet.folder)
const state = honest.at(-1)?.state as State

afterAll(closeServers)

/** Returns the blocks of a validator's first lane with a duel, newest first. */
function laneOf(name: string): { readonly epoch: number; readonly blocks: readonly string[] } {
  for (const { epoch, lanes } of honest) {
    const lane = lanes.get(hotkeyOf(name))
    if (lane?.ok) return { epoch, blocks: lane.value.blocks }
  }
  throw new Error(`no lane of ${name}`)
}

/** Serves the buckets like `af serve`. */
const serveBuckets = (base: string) => listenWith(serveBucketFiles(base), 0)

const verify = (base: string) => runVerifier([base, '--network', subnet.chainFile])

describe('a subnet', () => {
  it('crowns the better miner, and the ratio to beat decays', () => {
    expect(state.champion?.hotkey).toBe(hotkeyOf('stronger'))
    const crowned = honest.flatMap(({ report }) => report.crowned ?? [])
    expect(crowned).toEqual([hotkeyOf('stronger')])
    const [won = 0, decayed = 0] = honest.slice(-2).map((epoch) => epoch.state.ratio)
    expect(won).toBeGreaterThan(decayed)
    expect(decayed).toBeGreaterThan(LOCAL_NETWORK.protocol.ratioFloorPpm)
  })

  it('sets all weight to the champion on chain', async () => {
    const chain = LocalChain.import(subnet.chainExport)
    const { neurons } = await chain.snapshot(chain.height)
    const uid = neurons.find(({ hotkey }) => hotkey === hotkeyOf('stronger'))?.uid
    const rows = PARTICIPANTS.validators.map(({ account }) => [account.hotkey, [[uid, 65_535]]])
    expect(await chain.weights(chain.height)).toEqual(Object.fromEntries(rows))
  })

  it('sets only the liar aside', () => {
    const aside = honest.flatMap(({ report }) =>
      report.duels.flatMap(({ envs }) => Object.values(envs)).flatMap(({ setAside }) => setAside),
    )
    expect(new Set(aside)).toEqual(new Set([hotkeyOf(LIAR)]))
  })

  it('repeats byte for byte with its seed: its chain has the hashes of all blocks and states', () => {
    const digest = createHash('sha256').update(subnet.chainExport).digest('hex')
    expect(digest).toBe('b398851e87d6041f406ad836b3350be81939544d2c7be4991900edc1d66c7782')
  })
})

describe('recomputing', () => {
  it('computes the state of the validators from public data, without flaws', async () => {
    const file = join(subnet.buckets, hotkeyOf('alice'), statePath(state.epoch))
    expect(await readFile(file, 'utf8')).toBe(encodeState(state))
    expect(honest.flatMap(({ flaws }) => flaws)).toEqual([])
    expect(honest.map(({ epoch }) => epoch)).toEqual(honest.map((_, i) => i))
  })

  type Change = (file: string) => Promise<void>
  /** Flips the lowest bit of the byte at `place`, which counts from the end if negative. */
  const flip =
    (place: number | 'in its signature'): Change =>
    async (file) => {
      const bytes = await readFile(file)
      const at = place === 'in its signature' ? bytes.indexOf(10) + 20 : place
      const index = at < 0 ? bytes.length + at : at
      bytes[index] = (bytes[index] ?? 0) ^ 1
      await writeFile(file, bytes)
    }
  /** Changed copies: holder, validator of the block or epoch of the state, change, and code. */
  const ALTERED: readonly (readonly [string, string | number, Change, code: string])[] = [
    ['bob', 'bob', flip(40), 'WRONG_HASH'],
    ['carol', 'carol', flip('in its signature'), 'WRONG_SIGNATURE'],
    ['dave', 'dave', flip(-40), 'WRONG_ROOT'],
    ['alice', 'alice', flip(-1), 'BAD_LINES'],
    ['carol', 'alice', flip(-100), 'WRONG_ROOT'],
    ['dave', 'bob', rm, 'COPY_MISSING'],
    [LIAR, LIAR, rm, 'COPY_MISSING'],
    ['dave', 2, flip(0), 'STATE_DIFFERS'],
    ['dave', 3, flip(200), 'STATE_DIFFERS'],
    ['dave', 1, flip(-1), 'STATE_DIFFERS'],
  ]

  it('finds every altered or missing copy and its holder, in a folder and over `af serve`, and prints the attested root', async () => {
    const want: string[] = []
    const base = join(root, 'tampered')
    await cp(subnet.buckets, base, { recursive: true })
    for (const [holder, of, change, code] of ALTERED) {
      const isState = typeof of === 'number'
      const lane = isState ? undefined : laneOf(of)
      const block = lane?.blocks[0] ?? ''
      const path = isState ? statePath(of) : blockPath(block)
      await change(join(base, hotkeyOf(holder), path))
      const its = `block ${block} of ${of}`
      const isGone = code === 'COPY_MISSING'
      const copy = isGone ? `it attested ${its}: file not found` : `its copy of ${its}`
      const epoch = isState ? of : lane?.epoch
      want.push(`epoch ${epoch}, ${holder}: ${code}: ${isState ? path : copy}`)
    }
    using web = await serveBuckets(base)
    const [local, remote] = await Promise.all([verify(base), verify(web.url)])
    const found = local.stdout.match(/(?<=^ *✘ ).*/gm)
    expect([...(found ?? [])].sort()).toEqual(want.sort())
    expect(local.stdout).toContain(`state root ${stateRoot(state)},`)
    expect(local.stdout).toMatch(/^10 flaws found\.$/m)
    expect(local.stdout).not.toContain('No problems found')
    expect([local.code, remote.code, remote.stdout]).toEqual([1, 1, local.stdout])
  })
})

describe('af-verify', () => {
  it('prints every epoch, the root and the suspect, and exits with 0', async () => {
    const { code, stdout, stderr } = await verify(subnet.buckets)
    expect([code, stderr]).toEqual([0, `network: ${subnet.chainFile}, netuid 120 (--network)\n`])
    for (const { epoch } of honest) expect(stdout).toMatch(new RegExp(`^epoch ${epoch} `, 'm'))
    expect(stdout).toContain(`state root ${stateRoot(state)}, governing epoch ${state.epoch}`)
    expect(stdout).toContain('\nchampion   stronger\n')
    expect(stdout).toMatch(new RegExp(`^suspect    ${LIAR}: `, 'm'))
    expect(stdout).toContain('No problems found.')
    expect(stdout).not.toContain('✘ epoch')
  })

  it('reads buckets and chain over HTTP, with one object a line', async () => {
    using files = await serveBuckets(subnet.buckets)
    const chain = LocalChain.import(subnet.chainExport)
    const url = await serve(getRequestListener(serveLocal(chain), { overrideGlobalObjects: false }))
    const { code, stdout, stderr } = await runVerifier([files.url, '--network', url, '--json'])
    closeServers()
    expect(stderr).toBe(`network: ${url}, netuid 120 (--network)\n`)
    expect(code).toBe(0)
    const records = parseRecords(stdout)
    const epochs = honest.map(() => 'epoch')
    expect(records.map(({ type }) => type)).toEqual(['begin', ...epochs, 'end'])
    const end = { root: stateRoot(state), flaws: 0, champion: hotkeyOf('stronger') }
    expect(records.at(-1)).toMatchObject(end)
    expect(Object.keys(records.at(-1).suspect)).toEqual([hotkeyOf(LIAR)])
  })
})
