import { epochText, type NameOf, printable, shortHotkey } from '@affine/terminal'
import { forfeitsText } from './forfeits.ts'
import { lastOf, type OwnDuel, type Result } from './own-duel.ts'

const MEANINGS = {
  win:
    'win, as without the third of the weight most in its favour ' +
    'the contender still leads the ratio to beat by enough',
  hold:
    'hold, as what is left until the cap of decisive challenges ' +
    'cannot plausibly make it a win',
  even: 'even, as too few challenges tell the two apart, so it counts for neither',
  none: 'no verdict',
}

/** How everybody is called in what is told of one miner. */
export function namesFor(hotkey: string): NameOf {
  return (name) => (name === hotkey ? 'this miner' : shortHotkey(name))
}

/** The answer in plain words, and which duel it is of. */
export function answerText(own: OwnDuel, result: Result): string {
  const { duel, role, turns } = own
  const [{ settled: first }] = turns
  const rival = role === 'champion' ? duel.contender : duel.champion
  const { epoch } = lastOf(own)
  const epochs = first.epoch === epoch ? `epoch ${epoch}` : `epochs ${first.epoch} to ${epoch}`
  const lines = [
    `${outcomeText(own, result)} ${repliesText(result)}`,
    `  ${role}, against ${printable(rival.hotkey)}, ${epochs}`,
  ]
  if (first.epoch > duel.start)
    lines.push(`  it began in epoch ${duel.start}: replies before are counted with a larger --last`)
  return lines.join('\n')
}

function outcomeText(own: OwnDuel, result: Result): string {
  const { ending, by } = result
  const counts = countsText(own, result)
  if (ending === 'open') return `Your duel goes on: ${counts}.`
  const head = ending === 'won' ? 'You won' : 'You lost'
  if (by === 'environments') return `${head}: ${counts}.`
  const { duelEpochs } = lastOf(own).before.protocol
  if (by === 'length') return `${head}: ${counts}, when its ${duelEpochs} epochs were over.`
  if (ending === 'won') return `${head}, as the other one left: ${counts}.`
  return `${head}, as you left (another commitment, or no registration): ${counts}.`
}

/** What the contender has of the environments, and needs. Protocol §8.7. */
function countsText({ role }: OwnDuel, { wins, counted, needed }: Result): string {
  if (counted === 0) return 'no environment tells the two apart'
  const whose = role === 'champion' ? 'the contender has ' : ''
  return `${whose}${wins} of ${counted} environments, ${needed} needed`
}

function repliesText({ challenges, answered, forfeits }: Result): string {
  if (challenges === 0) return 'No challenge counted.'
  const asked = `Your endpoint answered ${answered} of ${challenges}.`
  const { 'no-reply': _, ...others } = forfeits
  const ways = forfeitsText(others)
  return ways === '' ? asked : `${asked} Of its answers these were forfeits: ${ways}.`
}

/**
 * What the rule saw: a text for each epoch, and with the last what the verdicts mean, and what a
 * contender needs. Protocol §8.7.
 */
export function ruleTexts(own: OwnDuel, { verdicts }: Result): readonly string[] {
  const { envs, margin, duelEpochs } = lastOf(own).before.protocol
  const texts = own.turns.map(({ settled }) => epochText(settled, namesFor(own.hotkey)))
  const wins = `(n + ${margin}) / 2 wins in the n environments that are not even`
  const meanings = [
    ...Object.keys(envs).map((env) => `${env}: ${MEANINGS[verdicts[env] ?? 'none']}`),
    `the contender needs at least ${wins}, in ${duelEpochs} epochs`,
  ]
  return sectionOf('What the rule saw:', texts, meanings)
}

/** Texts below a heading, with lines after the last of them. */
export function sectionOf(
  heading: string,
  texts: readonly string[],
  after: readonly string[] = [],
): readonly string[] {
  return texts.map((text, i) => {
    const before = i === 0 ? [`\n${heading}`] : []
    const behind = i === texts.length - 1 ? after : []
    return [...before, ...[text, ...behind].map(indent)].join('\n')
  })
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ')
