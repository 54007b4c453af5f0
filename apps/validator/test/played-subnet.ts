import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalChain } from '@affine/chain'
import { describeEpoch, shortenHotkey, stripTones, summariseEpoch } from '@affine/report'
import {
  type EpochResult,
  LOCAL_NETWORK,
  type RecomputedEpoch,
  recompute,
  type Source,
} from '@affine/settlement'
import { createBucketOpener } from '@affine/settlement/node'
import type { Output } from '@affine/terminal'
import { onceARun } from '../../../test/once-a-run.ts'
import {
  formatFilesHint,
  formatIntro,
  formatOutcome,
  formatRerunHint,
} from '../src/commands/demo/story.ts'
import {
  createParticipants,
  mapNames,
  type Participants,
  runSubnet,
} from '../src/commands/demo/subnet.ts'
import { narrate } from '../src/service/narrate.ts'

/** Miners of the demo. `stronger` takes the throne of `veteran`; `weaker` loses its duel. */
export const TWO_MINERS: readonly string[] = ['veteran', 'stronger']
export const THREE_MINERS: readonly string[] = ['veteran', 'weaker', 'stronger']

type OnSample = NonNullable<Parameters<typeof recompute>[0]['onSample']>

/** A finished subnet. Tests share its files and must not change them. */
export interface PlayedSubnet {
  readonly participants: Participants
  readonly hotkeyOf: (name: string) => string
  /** Returns a text with names instead of hotkeys, full or shortened. */
  readonly named: (text: string) => string
  readonly buckets: string
  readonly chainFile: string
  /** The chain's export. */
  readonly chainExport: string
  /** The texts of `af demo`. */
  readonly printed: readonly string[]
  /** Opens a validator's bucket. */
  readonly open: (hotkey: string, url: string) => Source | null
  /** Recomputes every epoch. */
  epochs(onSample?: OnSample): Promise<readonly RecomputedEpoch[]>
}

/** Returns the demo's validators with some of its miners. */
export function selectParticipants(names: readonly string[]): Participants {
  const all = createParticipants('a subnet for the tests')
  return { ...all, miners: all.miners.filter(({ name }) => names.includes(name)) }
}

/** Returns a subnet with these miners, played once in each run of the tests. */
export async function playSubnetOnce(names: readonly string[]): Promise<PlayedSubnet> {
  const participants = selectParticipants(names)
  const folder = await onceARun(`subnet-${names.join('-')}`, (out) => playIn(out, participants))
  const [buckets, chainFile] = [join(folder, 'buckets'), join(folder, 'chain.json')]
  const chainExport = await readFile(chainFile, 'utf8')
  const open = createBucketOpener(buckets)
  const members = [...participants.validators, ...participants.miners]
  return {
    participants,
    hotkeyOf: (name) => members.find((member) => member.name === name)?.account.hotkey ?? '',
    named: (text) =>
      members.reduce(
        (named, { name, account: { hotkey } }) =>
          named.replaceAll(hotkey, name).replaceAll(shortenHotkey(hotkey), name),
        text,
      ),
    buckets,
    chainFile,
    chainExport,
    printed: JSON.parse(await readFile(join(folder, 'printed.json'), 'utf8')),
    open,
    epochs: async (onSample = () => {}) => {
      const chain = LocalChain.import(chainExport)
      const data = { chain, network: LOCAL_NETWORK, openBucket: open, onSample }
      const epochs: RecomputedEpoch[] = []
      for await (const epoch of recompute(data)) epochs.push(epoch)
      return epochs
    },
  }
}

async function playIn(out: string, participants: Participants): Promise<void> {
  const printed = [formatIntro(participants)]
  const screen: Output = {
    line: (lines) => void printed.push(stripTones(lines)),
    status: () => {},
    wait: () => {},
  }
  const names = mapNames(participants)
  const nameOf = (hotkey: string) => names[hotkey] ?? hotkey
  const [alice] = participants.validators
  const epochs: EpochResult[] = []
  await runSubnet(participants, out, (member, event) => {
    if (member !== alice) return
    if (event.type === 'epoch') epochs.push(event.settled)
    narrate(event, screen, nameOf)
  })
  printed.push(...epochs.map((settled) => summariseEpoch(describeEpoch(settled), nameOf)))
  printed.push(stripTones(formatOutcome(epochs, nameOf)))
  await withProgramsOnPath(join(out, 'bin'), () => {
    printed.push(formatRerunHint(participants.seed), formatFilesHint('/tmp/affine-demo-abcdef'))
  })
  await writeFile(join(out, 'printed.json'), JSON.stringify(printed))
}

/** Calls `work` while `af` and `af-verify` are on the PATH, so that its texts contain no local path. */
async function withProgramsOnPath(folder: string, work: () => void): Promise<void> {
  await mkdir(folder)
  for (const name of ['af', 'af-verify']) await writeFile(join(folder, name), '')
  const { PATH = '' } = process.env
  process.env.PATH = folder
  try {
    work()
  } finally {
    process.env.PATH = PATH
  }
}
