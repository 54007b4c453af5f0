import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { visible } from '../visible.ts'
import type { Course, Turn } from '../worker/course.ts'
import { Board, cellName } from './board.tsx'

/** A recorded episode that one steps through: boards and digits where the environment is known. */
export function CourseView({ course }: { readonly course: Course }): JSX.Element {
  const { turns } = course
  const blunder = turns.findIndex(({ advice }) => advice?.kind === 'move' && advice.isMistake)
  const [at, setAt] = useState(Math.max(0, blunder))
  const turn = turns[at]
  if (turn === undefined) return <p>There is nothing to see.</p>
  return (
    <div class="course">
      {turns.length > 1 && (
        <p class="stepper">
          <button type="button" disabled={at === 0} onClick={() => setAt(at - 1)}>
            ← before
          </button>
          <span>
            turn {at + 1} of {turns.length}
          </span>
          <button type="button" disabled={at === turns.length - 1} onClick={() => setAt(at + 1)}>
            next →
          </button>
        </p>
      )}
      <TurnView turn={turn} />
      <Ending course={course} isShown={at === turns.length - 1} />
    </div>
  )
}

function TurnView({ turn }: { readonly turn: Turn }): JSX.Element {
  const { advice, observation, action, reply, prompt } = turn
  return (
    <>
      {advice?.kind === 'move' && Array.isArray(observation) && (
        <Board
          cells={observation}
          taken={typeof action === 'number' ? action : undefined}
          best={advice.best}
          isMistake={advice.isMistake}
        />
      )}
      {advice?.kind === 'product' && <Product advice={advice} isReplied={reply !== undefined} />}
      <p class="said">{turnWords(turn)}</p>
      <details>
        <summary>What was asked, and the whole reply</summary>
        <pre class="message">{visible(prompt)}</pre>
        <pre class="message reply">{visible(reply ?? '(no reply that can be used)', 8192)}</pre>
      </details>
    </>
  )
}

const WORTHS = { '1': 'a won game', '0': 'a draw', '-1': 'a lost game' } as const

/** What to say of a turn, in a sentence. */
function turnWords({ advice, action, reply, isLegal }: Turn): string {
  if (reply === undefined) return 'No reply came that can be used: a forfeit.'
  if (action === null) return 'The last line of the reply is no answer that can be read: a forfeit.'
  if (!isLegal) return 'The move was not allowed: a forfeit.'
  if (advice?.kind !== 'move') return ''
  const best = advice.best.map(cellName).join(' or ')
  const moved = `It took ${cellName(Number(action))}`
  if (!advice.isMistake) return `${moved}, which gave nothing away.`
  const [was, is] = [advice.worth, advice.worthAfter ?? 0].map(
    (worth) => WORTHS[String(worth) as keyof typeof WORTHS],
  )
  return `${moved}, and threw the game away: from ${was} to ${is}. Best was ${best}.`
}

interface ProductProps {
  readonly advice: Extract<Turn['advice'], { kind: 'product' }>
  readonly isReplied: boolean
}

/** The answer with its wrong digits marked, above what is right. */
function Product({ advice: { product, digits }, isReplied }: ProductProps): JSX.Element {
  const wrong = digits.filter(({ isRight }) => !isRight).length
  return (
    <div class="product">
      {isReplied && (
        <p>
          <span class="digits">
            {digits.map(({ digit, isRight }, i) => (
              <span key={i} class={isRight ? 'digit' : 'digit wrong'}>
                {visible(digit)}
              </span>
            ))}
          </span>{' '}
          {wrong === 0 && digits.length === product.length ? 'right' : `${wrong} digits wrong`}
        </p>
      )}
      <p>
        <span class="digits">{product}</span> the product
      </p>
    </div>
  )
}

function Ending({ course, isShown }: { readonly course: Course; readonly isShown: boolean }) {
  const { last, reward, isOver, turns } = course
  if (!isShown || !isOver) return null
  const isBoard = turns[0]?.advice?.kind === 'move' && Array.isArray(last)
  return (
    <>
      {isBoard && <Board cells={last as readonly number[]} />}
      <p>
        <b>Reward {reward}</b>
      </p>
    </>
  )
}
