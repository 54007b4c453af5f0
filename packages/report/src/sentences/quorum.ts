import type { OtherState } from '../other-state.ts'
import type { MissingQuorum, MissingVoter } from '../quorum.ts'
import { type NameOf, percent, shortHotkey } from '../text.ts'

/** Why no duel starts though a miner waits: who is missing, and what to do. Protocol §8.1. */
export function quorumTexts(
  lacking: MissingQuorum | undefined,
  nameOf: NameOf = shortHotkey,
): readonly string[] {
  if (lacking === undefined) return []
  const { attestedPpm, missing } = lacking
  if (missing.length === 0)
    return ['No duel starts: nobody votes yet. A validator votes once it has attested an epoch']
  const attested = `${percent(attestedPpm, Math.floor)} of the active validators' weight attested`
  const head = `No duel starts: ${attested}, and it takes two thirds. These are missing:`
  return [head, ...missing.map((voter) => missingText(voter, nameOf))]
}

function missingText(voter: MissingVoter, nameOf: NameOf): string {
  const { hotkey, stake, weightPpm, lastEpoch, isElsewhere, droppedIn } = voter
  const last = lastEpoch === undefined ? 'it never attested' : `it last attested epoch ${lastEpoch}`
  const what = `${percent(weightPpm, Math.floor)} of the weight, a stake of ${stake} rao`
  const help = isElsewhere
    ? 'it attests another state: compare its release with this one'
    : 'its operator should start it (af doctor says what it lacks)'
  const until = `it is not waited for after epoch ${droppedIn}`
  return `${nameOf(hotkey)}: ${what}; ${last}; ${help}; ${until}`
}

/** What it means that others attest another state. Protocol §9.2. */
export function otherStateTexts(
  others: OtherState | undefined,
  epoch: number,
  nameOf: NameOf = shortHotkey,
): readonly string[] {
  if (others === undefined) return []
  const { hotkeys, weightPpm } = others
  const names = hotkeys.map((hotkey) => nameOf(hotkey)).join(', ')
  const who = `${names} (${percent(weightPpm, Math.floor)} of the weight)`
  const why = 'Releases with other constants come to that: compare theirs with yours'
  return [`! another state of epoch ${epoch} is attested by ${who}. ${why}`]
}
