import type { Chain } from '@affine/chain'
import { evidence, type Report, ruleOf, type State, stateRoot, trust } from '@affine/duel'
import {
  commitmentsOf,
  envText,
  laneText,
  type Network,
  place,
  printable,
  share,
  shortHotkey,
} from '@affine/verifier'
import { align } from './chain.ts'
import { placesIn } from './queue.ts'

type Standing = { readonly block: number; readonly text: string; readonly [name: string]: unknown }

/**
 * Where a subnet stands at its head, given the state that governs the head's epoch and the account
 * of the epoch before: a record, and the same as lines for people. `due.seconds` is an estimate,
 * from the last 20 blocks.
 */
export async function standing(
  chain: Chain,
  network: Network,
  state: State,
  report?: Report,
): Promise<Standing> {
  const { protocol, duel, champion, ratio, root } = { ...state, root: stateRoot(state) }
  const { sealBlock, epochBlocks } = network.protocol
  const { number: block } = await chain.head()
  const [snapshot, weights] = [await chain.snapshot(block), await chain.weights(block)]
  const { epoch, offset } = place(block, network.protocol)
  const [what, at] = offset <= sealBlock ? ['seals', sealBlock] : ['attestations', epochBlocks - 1]
  const past = Math.max(0, block - 20)
  const blockMs = ((await chain.time(block)) - (await chain.time(past))) / (block - past || 1)
  const due = { what, blocks: at - offset, seconds: Math.round(((at - offset) * blockMs) / 1000) }

  const envs = Object.keys(duel ? protocol.envs : {}).map((env) => {
    const {
      weights = {},
      ratio: ratioPpm = ratio,
      tallies: { [env]: tallies = {} } = {},
      verdicts,
    } = duel ?? {}
    const seen = { tallies, ...evidence({ weights, tallies, ratioPpm, rule: ruleOf(protocol) }) }
    return {
      env,
      ...seen,
      verdict: verdicts?.[env] ?? 'go on',
      text: envText(env, seen, ratioPpm, protocol),
    }
  })
  const said = commitmentsOf(snapshot)
  const hotkeyOf = (uid: number) =>
    snapshot.neurons.find((neuron) => neuron.uid === uid)?.hotkey ?? ''
  const validators = snapshot.neurons.filter(
    ({ hotkey, permit }) => permit || weights[hotkey] || state.trust[hotkey],
  )
  const rows = validators.map(({ uid, hotkey, lastUpdate }) => {
    const [found, slot, given = []] = [report?.lanes[hotkey], said.get(hotkey), weights[hotkey]]
    const lane = found && laneText(found)
    const to = given.map(([uid]) => `${uid} → ${shortHotkey(hotkeyOf(uid))}`).join(', ')
    const trusted = share(trust(state.trust[hotkey] ?? { correct: 0, incorrect: 0 }))
    const committed = slot && 'epoch' in slot ? `${slot.kind} ${slot.epoch}` : undefined
    return {
      uid,
      hotkey,
      lane,
      trust: trusted,
      committed,
      weights: to || '-',
      ago: block - lastUpdate,
    }
  })
  const { waiting } = placesIn(state, snapshot, network)
  const text = [
    `block     ${block}, ${offset} of ${epochBlocks} in epoch ${epoch}; ${what} count for ${due.blocks} more, about ${due.seconds} s`,
    `champion  ${printable(champion?.hotkey ?? 'nobody')}; ratio to beat ${share(duel?.ratio ?? ratio)}`,
    `contender ${printable(duel?.contender.hotkey ?? 'nobody')}${duel ? `, epoch ${state.epoch - duel.start + 1} of at most ${protocol.duelEpochs}` : ''}`,
    ...envs.map(({ text, verdict }) => `${text} → ${verdict}`),
    `queue     ${waiting.length} waiting, next ${printable(waiting[0] ?? 'nobody')}`,
    `lanes     of epoch ${state.epoch - 1}`,
    ...align(rows),
  ].join('\n')
  return {
    block,
    epoch,
    offset,
    due,
    root,
    ratio,
    champion,
    duel,
    envs,
    waiting,
    report,
    rows,
    weights,
    text,
  }
}
