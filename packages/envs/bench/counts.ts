/** Sample sizes of docs/environments.md. `GAMES` is for each pair of players and board size. */
export const GAMES = 60
export const CHALLENGES = 400
export const DUELS = 200
