/** Counts of docs/environments.md: games of a pair on boards of one size, challenges, duels. */
export const GAMES = 60
export const CHALLENGES = 400
export const DUELS = 200
