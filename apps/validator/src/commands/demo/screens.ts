import { join } from 'node:path'
import type { UidWeights } from '@affine/chain'
import { stateRoot } from '@affine/duel'
import { type NameOf, share, shortHotkey } from '@affine/report'
import { programName } from '../../service/program-name.ts'
import { type Cast, LIAR, type Member } from './cast.ts'
import type { Rested } from './subnet.ts'

/** The members' names; for any other hotkey its short form. */
export function namesIn({ validators, miners }: Cast): NameOf {
  const members = [...validators, ...miners]
  const names = new Map(members.map(({ name, account }) => [account.hotkey, name]))
  return (hotkey) => names.get(hotkey) ?? shortHotkey(hotkey)
}

/** The members, one a line. */
export function peopleIn({ validators, miners }: Cast): readonly string[] {
  return [...validators, ...miners].map((member) => {
    const { name, account } = member
    return `${name.padEnd(9)} ${account.hotkey} ${roleOf(member)}`
  })
}

function roleOf({ name, skill }: Member): string {
  if (skill !== undefined) return `miner of skill ${skill}`
  if (name === LIAR) return 'validator that invents its transcripts'
  return 'validator'
}

/** The result of a subnet. */
export interface Ending {
  /** The champion's hotkey. */
  readonly champion: string
  /** The ratio to beat, in ppm. */
  readonly ratio: number
  readonly root: string
  readonly uid: number | undefined
  /** The weights on chain, by the hotkey of the validator that set them. */
  readonly weights: Readonly<Record<string, UidWeights>>
}

/** Reads the result of a subnet from the chain. */
export async function endingOf({ chain, state }: Rested): Promise<Ending> {
  const { number } = await chain.head()
  const weights = await chain.weights(number)
  const { neurons } = await chain.snapshot(number)
  const champion = state.champion?.hotkey ?? ''
  const uid = neurons.find(({ hotkey }) => hotkey === champion)?.uid
  return { champion, ratio: state.ratio, root: stateRoot(state), uid, weights }
}

/** The result of a subnet as a text, and what comes next. */
export function endingText(ending: Ending, nameOf: NameOf): string {
  const { champion, ratio, root, uid, weights } = ending
  const rows = Object.values(weights)
  const agreeing = rows.filter((row) => row.length === 1 && row[0]?.[0] === uid)
  const votes = `${agreeing.length} of ${rows.length} validators`
  return `
champion   ${nameOf(champion)} (${champion})
ratio      ${share(ratio)}
state root ${root}
weights    ${votes} give uid ${uid} all their weight on chain

Now the verifier runs, in another process, with only the buckets and the exported chain:
`
}

/** What can be done after a run that kept no files. */
export const againText = (seed: string): string =>
  `Look at it: ${programName('af')} demo --seed ${seed} --open (or --verbose, for the numbers)`

/** What can be done with the files in the folder `out`. If the page is open, not how to open it. */
export function filesText(out: string, isOpen = false): string {
  const af = programName('af')
  const what = `${join(out, 'buckets')} --network ${join(out, 'chain.json')}`
  const verify = `${programName('af-verify')} ${what}`
  const look = `
  look at it, at http://127.0.0.1:8080/ in a browser
    $ ${af} serve ${what}`
  return `
All files are in ${out}. Try next:${isOpen ? '' : look}
  verify again
    $ ${verify}
  look at one epoch
    $ ${verify} --epoch 2
  replay a challenge
    $ ${verify} --epoch 2 --sample mult8@0.1.0#0
  change one byte in any block or state of the buckets, and verify again: it will fail
  play one yourself
    $ ${af} env run tictactoe-v0`
}
