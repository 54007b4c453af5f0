import { walk } from '@affine/wilson'
import { LOCAL, PROTOCOL, ruleOf } from '../src/index.ts'

/**
 * What HOLD costs, exactly: for a copy and for contenders about the ratio, how often each wins with
 * a look after every challenge, and the decisive challenges until then, as rows of a table.
 */
export function holdRows(): readonly string[] {
  return [PROTOCOL, LOCAL].flatMap((protocol) =>
    [510_000, 600_000, 800_000].flatMap((ratioPpm) =>
      [500_000 - ratioPpm, -20_000, -10_000, 0, 10_000, 20_000].map((over, i) => {
        const p = (ratioPpm + over) / 1e6
        const { win, expectedTrials } = walk({ p, ratioPpm, rule: ruleOf(protocol) })
        const name = i === 0 ? 'a copy' : p.toFixed(2)
        const cells = [
          protocol.cap,
          ratioPpm / 1e6,
          name,
          win.toFixed(4),
          expectedTrials.toFixed(0),
        ]
        return `| ${cells.join(' | ')} |`
      }),
    ),
  )
}
