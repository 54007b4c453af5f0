/** As many as docs/environments.md speaks of: games of a pair on boards of one size, and so on. */
export const GAMES = 60
export const CHALLENGES = 400
export const DUELS = 200
