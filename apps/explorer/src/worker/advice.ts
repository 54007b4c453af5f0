import { solvedGame } from '@affine/envs'

/** What somebody who knows the answer says of a turn. */
export type Advice =
  | {
      readonly kind: 'move'
      /** The best cells, 0 to 8. */
      readonly best: readonly number[]
      /** 1 where the mover wins, 0 a draw, -1 where it loses, before and after its move. */
      readonly worth: number
      readonly worthAfter: number | undefined
      /** Did the move give something away? */
      readonly isMistake: boolean
    }
  | {
      readonly kind: 'product'
      readonly product: string
      /** The last line of the reply, digit by digit from the right, each right or not. */
      readonly digits: readonly { readonly digit: string; readonly isRight: boolean }[]
    }

/** A reply, and the action that it is. */
interface Taken {
  readonly action: unknown
  readonly reply: string
}

/** Advice on a turn of an environment that is known well enough; undefined for any other. */
export function adviceOn(env: string, observation: unknown, taken?: Taken): Advice | undefined {
  if (!Array.isArray(observation)) return undefined
  if (env === 'tictactoe@0.1.0') return moveAdvice(observation, taken?.action)
  if (env === 'mult8@0.1.0') return productAdvice(observation, taken?.reply)
  return undefined
}

function moveAdvice(board: readonly unknown[], action: unknown): Advice | undefined {
  const position = solvedGame().positions.get(board.join(''))
  if (position === undefined) return undefined
  const { next, best } = position
  const worths = next.map((after) => after && Math.sign(after.score))
  const worth = worths[best[0] ?? -1] ?? 0
  const worthAfter = worths[Number(action ?? -1)]
  const isMistake = worthAfter !== undefined && worthAfter < worth
  return { kind: 'move', best, worth, worthAfter, isMistake }
}

function productAdvice([a, b]: readonly unknown[], reply = ''): Advice {
  const product = String(BigInt(Number(a)) * BigInt(Number(b)))
  const line = reply.slice(reply.lastIndexOf('\n') + 1).slice(0, 64)
  const shift = product.length - line.length
  const digits = [...line].map((digit, i) => ({ digit, isRight: product[i + shift] === digit }))
  return { kind: 'product', product, digits }
}
