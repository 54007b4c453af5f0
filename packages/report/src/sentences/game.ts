const GAMES: Readonly<Record<string, string>> = {
  hex: 'Hex',
  mult8: 'the multiplication of 8-digit numbers',
  pack: 'the packing of rectangles',
  tictactoe: 'tic-tac-toe',
}

/** What is played in an environment, as in "tic-tac-toe"; its id where no words are known. */
export const gameText = (env: string): string => GAMES[env.replace(/@.*/, '')] ?? env

/** What competes at what, and for what. */
export function subnetText(envs: readonly string[]): string {
  const games = envs.map(gameText)
  const last = games.pop() ?? 'nothing yet'
  const all = games.length === 0 ? last : `${games.join(', ')} and ${last}`
  return `AI models compete at ${all}: one that clearly beats the champion takes its throne.`
}
