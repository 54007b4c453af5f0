/**
 * The reason for ending a sampling phase early: the validator is stopping. No miner is blamed for a
 * reply that is missing, and the lane goes on when the validator is started again.
 */
export class Stopped extends Error {}
