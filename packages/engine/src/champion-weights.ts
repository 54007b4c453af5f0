import type { Neuron, UidWeights } from '@affine/chain'
import type { Miner } from '@affine/duel'

/** Weights that give all to the champion; undefined if it is not registered. Protocol §8.12. */
export function championWeights(
  { hotkey }: Pick<Miner, 'hotkey'>,
  neurons: readonly Neuron[],
): UidWeights | undefined {
  const uid = neurons.find((neuron) => neuron.hotkey === hotkey)?.uid
  return uid === undefined ? undefined : [[uid, 65_535]]
}
