import type { Opponent } from '@affine/miners'
import { type Output, printable } from '@affine/terminal'

/** Prints how many requests to a player had no usable reply, and what came instead. */
export function sayFailures(player: string, { failures }: Opponent, screen: Output): void {
  if (failures.size === 0) return
  const counted = [...failures].map(([text, count]) => ({ text, count }))
  const count = counted.reduce((sum, each) => sum + each.count, 0)
  const requests = count === 1 ? 'request' : 'requests'
  const lines = counted.map((each) => `  ${each.count} × ${printable(each.text, 300)}`)
  const text = [`${count} ${requests} to ${player} had no usable reply:`, ...lines].join('\n')
  screen.line(text, { type: 'failures', player, failures: counted })
}
