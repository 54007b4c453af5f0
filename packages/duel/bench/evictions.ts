import { pcg64 } from '@affine/prng'
import { type Candidate, decide, PROTOCOL, type State } from '../src/index.ts'
import { crownedFirst, epochOf, miner } from '../test/subnet.ts'
import { binomial } from './draw.ts'
import { drawLane, EPOCHS_A_DAY } from './queue.ts'
import { printTable } from './worst.ts'

/** Maximum number of neurons of a subnet. */
const NEURONS = 256
const DAYS = 60
/** Share of decisive challenges that a better miner wins against any champion. */
const BETTER = 0.6
/** Share of better miners among registrations. */
const BETTER_SHARE = 0.2

interface Scene {
  readonly lanes: number
  /** Registrations a day, at random times, on a full subnet, so that each evicts a neuron. */
  readonly registrations: number
  /** Number of keys of one owner, which commits again with a key when the key's duel is over. */
  readonly keys: number
}

/** The possible outcomes of a miner. */
const FATES = [
  'decided',
  'won',
  'evictedInTurn',
  'evictedBefore',
  'crowned',
  'evictedOnThrone',
] as const
type Fates = Readonly<Record<(typeof FATES)[number], Set<string>>>

/**
 * Simulates a full subnet whose miners have waited since they registered. Returns the miners by
 * outcome. A registration evicts the miner without earnings that registered first. A champion earns
 * from its second epoch on.
 */
function simulateSubnet({ lanes, registrations, keys }: Scene): Fates {
  const { epochBlocks } = PROTOCOL
  const random = pcg64(20_260_101n)
  const validators = Array.from({ length: lanes }, (_, i) => `v${i + 10}`)
  // The remaining neuron is the subnet's owner.
  let miners: readonly Candidate[] = Array.from({ length: NEURONS - 1 - lanes }, (_, i) =>
    miner(i < keys ? `own${i}` : `old${i}`),
  )
  const fates = Object.fromEntries(FATES.map((fate) => [fate, new Set()])) as unknown as Fates
  let state = crownedFirst({ validators, miners: [miner('first')], protocol: PROTOCOL })
  let [termEpochs, registered] = [0, 0]

  const evict = (): void => {
    const earning = termEpochs > 1 ? state.champion?.hotkey : undefined
    const evicted = miners.find(({ hotkey }) => hotkey !== earning)?.hotkey ?? ''
    miners = miners.filter(({ hotkey }) => hotkey !== evicted)
    if (evicted === state.champion?.hotkey) fates.evictedOnThrone.add(evicted)
    else if (contendersIn(state).has(evicted)) fates.evictedInTurn.add(evicted)
    else if (!fates.decided.has(evicted)) fates.evictedBefore.add(evicted)
  }
  const other = keys > 0 ? 'own' : 'old'
  const register = (block: number, isBetter: boolean): void => {
    const name = `${isBetter ? 'better' : other}-${++registered}`
    miners = [...miners, { ...miner(name, block), registered: block }]
  }
  const commitAnew = (block: number): void => {
    const isOver = ({ hotkey, block }: Candidate): boolean =>
      (state.lastPlayed[hotkey]?.left ?? 0) > block
    miners = miners.map((each) =>
      each.hotkey.startsWith('own') && isOver(each)
        ? { ...each, revision: `${block}`, block }
        : each,
    )
  }

  const wait = (): boolean =>
    [...miners.map(({ hotkey }) => hotkey), ...contendersIn(state)].some(
      (hotkey) => isBetter(hotkey) && !fates.decided.has(hotkey),
    )
  for (let epoch = 0; epoch < DAYS * EPOCHS_A_DAY || wait(); epoch++) {
    const block = (state.epoch + 1) * epochBlocks
    const arriving = binomial(epochBlocks, registrations / EPOCHS_A_DAY / epochBlocks, random)
    for (let i = 0; i < arriving; i++) {
      evict()
      register(block, random.random() < BETTER_SHARE && epoch < DAYS * EPOCHS_A_DAY)
    }
    commitAnew(block)
    const facts = epochOf(state, { validators, miners, protocol: PROTOCOL })
    const lane = () => drawLane(state, random, (hotkey) => (isBetter(hotkey) ? BETTER : 0.5))
    const drawn = Object.fromEntries(validators.map((validator) => [validator, lane()]))
    const { state: next, report } = decide(state, { ...facts, lanes: drawn })
    for (const { contender, standing } of report.duels)
      if (standing === 'won') fates.won.add(contender.hotkey)
    for (const hotkey of contendersIn(state))
      if (!contendersIn(next).has(hotkey)) fates.decided.add(hotkey)
    const { hotkey = '' } = next.champion ?? {}
    termEpochs = hotkey === state.champion?.hotkey ? termEpochs + 1 : 0
    if (termEpochs === 0) fates.crowned.add(hotkey)
    state = next
  }
  return fates
}

const isBetter = (hotkey: string): boolean => hotkey.startsWith('better')

const contendersIn = ({ duels }: State): ReadonlySet<string> =>
  new Set(duels.map(({ contender }) => contender.hotkey))

/** Prints how often better miners get a duel on a full subnet with registrations. */
export function printEvictions(): void {
  const title = `Better miners, p = ${BETTER}, on a full subnet, over ${DAYS} days`
  const columns = [
    'lanes',
    'registrations a day',
    "one owner's keys",
    'better miners',
    'crowned',
    'evicted before their turn',
    'won, not the best',
    'lost',
    'evicted in their turn',
    'evicted on the throne',
  ]
  const scenes = [4, 16].flatMap((lanes) =>
    [
      [10, 0],
      [20, 0],
      [20, 200],
      [40, 0],
    ].map(([registrations = 0, keys = 0]) => ({ lanes, registrations, keys })),
  )
  printTable({ title, columns }, scenes, (scene) => {
    const fates = simulateSubnet(scene)
    const [decided = 0, won = 0, during = 0, before = 0, crowned = 0, evictedOnThrone = 0] =
      FATES.map((fate) => [...fates[fate]].filter(isBetter).length)
    const all = decided + before
    const { lanes, registrations, keys } = scene
    const ends = [crowned, before, won - crowned, decided - won]
    return [lanes, registrations, keys, all, ...ends, during, evictedOnThrone]
  })
}
