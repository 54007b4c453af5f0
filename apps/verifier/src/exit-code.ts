import type { Recomputed } from '@affine/settlement'

/** An error that ends a run. If something did not hold before, that is its exit code. */
export function withFlaws(error: Error, flaws: number): Error {
  return flaws > 0 ? Object.assign(error, { exitCode: 1 }) : error
}

/** The same epochs. If there is no next one because of an error, that is one of `withFlaws`. */
export async function* countingFlaws(
  epochs: AsyncIterable<Recomputed>,
): AsyncGenerator<Recomputed, void> {
  let flaws = 0
  try {
    for await (const settled of epochs) {
      flaws += settled.flaws.length
      yield settled
    }
  } catch (error) {
    throw withFlaws(error as Error, flaws)
  }
}
