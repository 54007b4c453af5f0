import { expect, test } from 'vitest'
import networksText from '../../../vectors/duel/networks.json?raw'
import {
  type Candidate,
  decide,
  type Facts,
  firstState,
  type Lanes,
  LOCAL,
  type Protocol,
  quotasOf,
  type Report,
  type State,
  stateRoot,
} from '../src/index.ts'
import { bitmapOf, HEAD, MULT8, miner, NEXT, TICTACTOE } from './subnet.ts'

/** As vectors/duel/networks.py writes them. */
interface Network {
  readonly rules: readonly (Partial<Protocol> & {
    readonly from: number
    /** Of each environment. */
    readonly quotaFirst?: number
  })[]
  readonly epochs: readonly Drawn[]
  readonly roots: readonly string[]
}
interface Drawn {
  readonly validators: readonly [hotkey: string, stake: number, said: string, lanes: string][]
  readonly miners: readonly [string, string, number, number][]
  readonly gone: readonly string[]
  readonly seals: string
  readonly lanes: Readonly<Record<string, Readonly<Record<string, Counts>>>>
}
type Counts = readonly [wins: number, losses: number, both: number, played?: number]

/** Of one player and of two. */
const PLAYED = ['hex@0.1.0', MULT8, TICTACTOE]
const ENVS = Object.fromEntries(Object.entries(LOCAL.envs).filter(([env]) => PLAYED.includes(env)))

const networks: readonly Network[] = JSON.parse(networksText).vectors

function rulesAt({ rules }: Network, epoch: number): Protocol {
  const now = rules.filter(({ from }) => from <= epoch).at(-1) ?? { from: 0 }
  const { from: _, quotaFirst, ...changed } = now
  const changedEnvs = Object.entries(ENVS).map(([env, each]) => {
    return [env, { ...each, quotaFirst: quotaFirst ?? each.quotaFirst }] as const
  })
  return { ...LOCAL, envs: Object.fromEntries(changedEnvs), ...changed }
}

function lanesOf(state: State, { lanes }: Drawn): Lanes {
  const quotas = quotasOf(state)
  const tally = (env: string, [wins, losses, both, played = quotas[env] ?? 0]: Counts) => ({
    wins,
    losses,
    played,
    contenderPoints: (wins + both) * 1_000_000,
    championPoints: (losses + both) * 1_000_000,
  })
  const laneOf = (lane: Readonly<Record<string, Counts>>) =>
    Object.fromEntries(Object.entries(lane).map(([env, counts]) => [env, tally(env, counts)]))
  return Object.fromEntries(Object.entries(lanes).map(([hotkey, lane]) => [hotkey, laneOf(lane)]))
}

function factsOf(state: State, drawn: Drawn, protocol: Protocol): Facts {
  const miners = drawn.miners.map(
    ([hotkey, revision, block, registered]): Candidate => ({
      ...miner(hotkey, block, revision),
      registered,
    }),
  )
  const root = stateRoot(state)
  const validators = drawn.validators.map(([hotkey, stake, said, lanes]) => ({
    hotkey,
    stake: BigInt(stake),
    ...(said !== '' && {
      attest: {
        epoch: state.epoch - (said === 'epoch' ? 1 : 0),
        bitmap: bitmapOf(state, [...lanes]),
        next: NEXT,
        stateRoot: said === 'root' ? HEAD : root,
      },
    }),
  }))
  const hotkeys = [...'abcdefg', ...miners.map(({ hotkey }) => hotkey)]
  return {
    snapshot: {
      epoch: state.epoch + 1,
      protocol,
      hotkeys: hotkeys.filter((hotkey) => !drawn.gone.includes(hotkey)),
      validators,
      miners,
    },
    seals: Object.fromEntries([...drawn.seals].map((hotkey) => [hotkey, HEAD])),
    lanes: lanesOf(state, drawn),
  }
}

/** What must have happened in some network, or nothing of it is compared. */
function eventsIn(before: State, state: State, report: Report): readonly string[] {
  const isFrozenOut = report.frozen && before.duel?.frozen === 3 && !state.duel
  const isWaiting = !before.duel && !state.duel && Object.keys(before.dueled).length > 1
  return [
    ...(report.outcome ? [`the ${report.outcome} wins`] : []),
    ...(report.verdicts['hex@0.1.0'] === 'win' && report.outcome === 'contender' ? ['a game'] : []),
    ...(report.frozen ? ['frozen'] : []),
    ...(isFrozenOut ? ['frozen four times'] : []),
    ...(isWaiting ? ['no duel starts'] : []),
    ...Object.values(report.envs).flatMap(({ given }) => given ?? []),
    ...Object.values(report.lanes).flatMap(({ setAside }) => (setAside.length ? ['aside'] : [])),
    ...(state.champion ? [] : ['an empty throne']),
  ]
}

test('three hundred networks of twelve epochs, as a second implementation decides them', () => {
  const events = new Map<string, number>()
  for (const [i, network] of networks.entries()) {
    let state = firstState(rulesAt(network, 0), 0)
    for (const [epoch, drawn] of network.epochs.entries()) {
      const facts = factsOf(state, drawn, rulesAt(network, epoch + 1))
      const { state: next, report } = decide(state, facts)
      expect(stateRoot(next), `network ${i}, epoch ${epoch}`).toBe(network.roots[epoch])
      for (const event of eventsIn(state, next, report))
        events.set(event, (events.get(event) ?? 0) + 1)
      state = next
    }
  }
  expect([networks.length, events.size]).toEqual([300, 11])
  for (const [event, count] of events) expect(count, event).toBeGreaterThan(5)
})
