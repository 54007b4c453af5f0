import { bytesText, type Load, type Loads } from '@affine/engine'
import { type Output, table } from '@affine/terminal'

/** Prints what a duel takes: challenges, requests and bytes. */
export function sayLoads(loads: Loads, screen: Output): void {
  const { voters, firstEpoch, mostEpoch, mostDay } = loads
  const row = (what: string, textOf: (load: Load) => string) => ({
    what,
    'first epoch': textOf(firstEpoch),
    'at most': textOf(mostEpoch),
    'a day': textOf(mostDay),
  })
  const count = (number: number): string => Math.round(number).toLocaleString('en-US')
  const rows = [
    row('challenges', ({ challenges }) => count(challenges)),
    row('requests to miners', ({ requests }) => count(requests)),
    row('its own lane', ({ laneBytes }) => bytesText(laneBytes)),
    row(`its bucket, lanes of ${voters}`, ({ bucketBytes }) => bytesText(bucketBytes)),
  ]
  const text =
    'What a duel takes: in its first epoch, in its largest epoch, and in a day of largest epochs.'
  table(screen, { text, record: { type: 'loads', ...loads } }, rows)
}
