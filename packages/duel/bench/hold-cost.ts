import { walk } from '@affine/wilson'
import { LOCAL, PROTOCOL } from '../src/index.ts'
import { printTable } from './worst.ts'

/**
 * Prints the exact cost of HOLD: how often a copy and contenders near the ratio win with an
 * evaluation after every challenge, and the number of decisive challenges until the verdict.
 */
export function printHold(): void {
  const title = 'What HOLD costs, exactly'
  const columns = ['cap', 'R', 'p', 'decisive challenges', 'wins']
  printTable({ title, columns }, CONTENDERS, ({ protocol, ratioPpm, p }) => {
    const { win, expectedTrials } = walk({ p, ratioPpm, rule: protocol })
    const end = [expectedTrials.toFixed(0), win.toFixed(4)]
    return [protocol.cap, ratioPpm / 1e6, p.toFixed(2), ...end]
  })
}

const CONTENDERS = [PROTOCOL, LOCAL].flatMap((protocol) =>
  [0.51, 0.6, 0.8].flatMap((ratio) =>
    [...new Set([0.5, ratio - 0.02, ratio - 0.01, ratio, ratio + 0.01, ratio + 0.02])].map((p) => ({
      protocol,
      ratioPpm: Math.round(ratio * 1e6),
      p,
    })),
  ),
)
