import type { Account } from '../../packages/chain/src/index.ts'
import { computeTrust, type State, stateRoot } from '../../packages/duel/src/index.ts'
import type { Network, RecomputedEpoch } from '../../packages/settlement/src/index.ts'
import {
  flawsOf,
  hotkeys,
  type LanePlan,
  network,
  ReadingSubnet,
  type Written,
} from './reading-subnet.ts'

/** A subnet in its first duel, with three honest voters and a liar with 140 of 440 of the stake. */
export class OneLiar extends ReadingSubnet {
  readonly honest: readonly [Account, Account, Account]
  readonly liar: Account
  /** The state that governs the duel's first epoch. */
  readonly state: Promise<State>

  constructor(rules: Network = network, strangers = 0) {
    super([100, 100, 100, 140], strangers, rules)
    const [first, second, third, liar] = this.voters as [Account, Account, Account, Account]
    this.honest = [first, second, third]
    this.liar = liar
    this.state = this.begin()
  }

  /** Lets the liar seal a lane of this plan, which all buckets serve. */
  async sealLie(plan: LanePlan): Promise<Written> {
    return this.sealOne(this.liar, await this.state, plan)
  }

  /** Lets the honest validators seal, and attest the lanes of `whole`, by default one another's. */
  async playHonestly(whole: readonly string[] = hotkeys(this.honest)): Promise<void> {
    const state = await this.state
    await this.sealAll(state, this.honest)
    await this.attestAll(state, this.honest, whole)
  }

  /** Lets the liar attest these lanes, with its bucket at `url`, by default its hotkey. */
  async lie(whole: readonly string[] | Uint8Array, url?: string): Promise<void> {
    await this.attest(this.liar, await this.state, whole, url)
  }

  /** Ends the epoch. Resolves with its outcome. */
  async outcome(): Promise<Outcome> {
    await this.end(await this.state)
    const epochs = await this.recompute()
    const last = epochs.at(-1)
    if (last === undefined) throw new Error('no epoch has ended')
    return outcomeOf(last, flawsOf(epochs))
  }
}

type Outcome = ReturnType<typeof outcomeOf>

/** Returns the flaws, the accepted lanes and the decision of an epoch. */
function outcomeOf({ state, report }: RecomputedEpoch, flaws: readonly string[]) {
  const accepted = Object.keys(report.lanes).filter((hotkey) => report.lanes[hotkey]?.accepted)
  return {
    flaws,
    accepted: new Set(accepted),
    champion: state.champion?.hotkey,
    root: stateRoot(state),
    tallies: state.duels[0]?.tallies,
    trustIn: ({ hotkey }: Account) => computeTrust(state.trust[hotkey]),
  }
}

/** A function that plays an epoch with a lie, in which honest validators follow the rules. */
export type Lie = (subnet: OneLiar) => Promise<void>
/** A function that returns the expected flaws, each as its code and the blamed validator. */
export type Named = (subnet: OneLiar) => readonly string[]

export const liar =
  (...codes: readonly string[]): Named =>
  ({ liar }) =>
    codes.map((code) => `${code} ${liar.hotkey}`)

/** Returns a lie: the liar seals a lane of this plan, which all buckets serve and all attest. */
export const sealing =
  (plan: LanePlan): Lie =>
  async (subnet) => {
    await subnet.sealLie(plan)
    await attestedByAll(subnet)
  }

/** Lets honest validators seal, and all validators attest all lanes. */
export async function attestedByAll(subnet: OneLiar): Promise<void> {
  await subnet.playHonestly(hotkeys(subnet.voters))
  await subnet.lie(hotkeys(subnet.voters))
}
