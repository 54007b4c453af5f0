import { expect, test } from 'vitest'
import networksText from '../../../vectors/duel/networks.json?raw'
import {
  type Candidate,
  computeQuotas,
  type Duel,
  decide,
  type Facts,
  firstState,
  type Lanes,
  type LaneTally,
  LOCAL,
  type Protocol,
  type Report,
  type State,
  stateRoot,
} from '../src/index.ts'
import { mapValues } from '../src/own-keys.ts'
import { bitmapOf, frozenIn, HEAD, MULT8, miner, NEXT, TICTACTOE } from './subnet.ts'

/** A network as vectors/duel/networks.py writes it. */
interface Network {
  readonly rules: readonly (Omit<Partial<Protocol>, 'envs'> & {
    readonly from: number
    /** First letters of the environments played. Default: `hmt`. */
    readonly envs?: string
    /** `quotaFirst` of each environment. Default: that of the local network. */
    readonly quotaFirst?: number
  })[]
  readonly epochs: readonly Drawn[]
  readonly roots: readonly string[]
}
interface Drawn {
  readonly validators?: readonly [hotkey: string, stake: number, attested: string, lanes: string][]
  readonly miners?: readonly [hotkey: string, revision?: string, block?: number, at?: number][]
  readonly gone?: readonly string[]
  readonly seals?: string
  /** By validator, contender, and the environment's first letter. */
  readonly lanes?: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, Counts>>>>>
  >
}
type Counts = readonly number[]

const HEX = 'hex@0.1.0'
const NAMES: Readonly<Record<string, string>> = { h: HEX, m: MULT8, t: TICTACTOE }

const networks: readonly Network[] = JSON.parse(networksText).vectors

function rulesAt({ rules }: Network, epoch: number): Protocol {
  const now = rules.filter(({ from }) => from <= epoch).at(-1) ?? { from: 0 }
  const { from: _, quotaFirst, envs: letters = 'hmt', ...changed } = now
  const envs = Object.entries(LOCAL.envs).filter(([env]) => {
    return Object.values(NAMES).includes(env) && letters.includes(env.slice(0, 1))
  })
  const changedEnvs = mapValues(Object.fromEntries(envs), (each) => {
    return { ...each, quotaFirst: quotaFirst ?? each.quotaFirst }
  })
  return { ...LOCAL, envs: changedEnvs, ...changed }
}

/**
 * Returns a tally from its short form: all four counts, wins and losses of a game, or wins, losses
 * and the number of challenges that both solve.
 */
function tallyOf(env: string, [wins = 0, losses = 0, third, fourth]: Counts): LaneTally {
  if (third !== undefined && fourth !== undefined) return [wins, losses, third, fourth]
  if (env === HEX) return [wins, losses, 0, 0]
  const both = third ?? 0
  return [wins, losses, (wins + both) * 1_000_000, (losses + both) * 1_000_000]
}

const lanesOf = ({ lanes = {} }: Drawn): Lanes =>
  mapValues(lanes, (duels) =>
    mapValues(duels, (tallies) =>
      Object.fromEntries(
        Object.entries(tallies).map(([letter, counts]) => {
          const env = NAMES[letter] ?? ''
          return [env, tallyOf(env, counts)]
        }),
      ),
    ),
  )

/** The miners' commitments so far. */
type Slots = Map<string, Candidate | undefined>

function factsOf(
  [state, root]: readonly [State, string],
  drawn: Drawn,
  protocol: Protocol,
  slots: Slots,
): Facts {
  for (const [hotkey, revision, block = 0, registered = 0] of drawn.miners ?? [])
    slots.set(
      hotkey,
      revision === undefined ? undefined : { ...miner(hotkey, block, revision), registered },
    )
  const validators = (drawn.validators ?? []).map(([hotkey, stake, attested, lanes]) => ({
    hotkey,
    stake: BigInt(stake),
    ...(attested !== '' && {
      attest: {
        epoch: state.epoch - (attested === 'epoch' ? 1 : 0),
        bitmap: bitmapOf(state, [...lanes]),
        next: NEXT,
        stateRoot: attested === 'root' ? HEAD : root,
      },
    }),
  }))
  const hotkeys = [...'abcdefg', ...slots.keys()]
  return {
    snapshot: {
      epoch: state.epoch + 1,
      protocol,
      hotkeys: hotkeys.filter((hotkey) => !drawn.gone?.includes(hotkey)),
      validators,
      miners: [...slots.values()].filter((one) => one !== undefined),
    },
    seals: Object.fromEntries([...(drawn.seals ?? '')].map((hotkey) => [hotkey, HEAD])),
    lanes: lanesOf(drawn),
  }
}

const isThrice = (duel: Duel): boolean => frozenIn(duel) === 3

/** Returns the events of an epoch. The networks must have each event at least twice. */
function eventsIn(before: State, state: State, { duels, frozen, crowned }: Report): string[] {
  const won = duels.filter(({ standing }) => standing === 'won')
  const reports = duels.flatMap(({ envs }) => Object.values(envs))
  const isNew = JSON.stringify(before.protocol) !== JSON.stringify(state.protocol)
  return [
    ...(crowned && won.length === 1 ? ['crowned alone'] : []),
    ...(crowned && won.length > 1 ? ['crowned among several'] : []),
    ...(!crowned && won.length > 0 ? ['won, and waiting'] : []),
    ...duels.map(({ standing }) => standing),
    ...(frozen && before.duels.some(isThrice) ? ['frozen four times'] : []),
    ...(frozen ? ['frozen'] : []),
    ...(isNew && state.duels.length > 0 ? ['begun anew'] : []),
    ...(Object.keys(computeQuotas(state)).length > 2 ? ['three at once'] : []),
    ...reports.flatMap(({ given, setAside }) =>
      [given ?? [], setAside.length ? ['aside'] : []].flat(),
    ),
    ...(state.champion ? [] : ['an empty throne']),
  ]
}

test('networks of fourteen epochs, random and made by hand, equal those of a second implementation', () => {
  const events = new Map<string, number>()
  for (const [i, network] of networks.entries()) {
    let state = firstState(rulesAt(network, 0), 0)
    let root = stateRoot(state)
    const slots: Slots = new Map()
    for (const [epoch, drawn] of network.epochs.entries()) {
      const facts = factsOf([state, root], drawn, rulesAt(network, epoch + 1), slots)
      const { state: next, report } = decide(state, facts)
      root = stateRoot(next)
      expect(root.slice(0, 16), `network ${i}, epoch ${epoch}`).toBe(network.roots[epoch])
      for (const event of eventsIn(state, next, report))
        events.set(event, (events.get(event) ?? 0) + 1)
      state = next
    }
  }
  expect([networks.length, events.size]).toEqual([108, 15])
  for (const [event, count] of events) expect(count, event).toBeGreaterThan(1)
})
