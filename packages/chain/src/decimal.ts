/** Rao as a decimal of nine places. */
export const decimalOf = (rao: bigint): string =>
  `${rao / 10n ** 9n}.${`${rao % 10n ** 9n}`.padStart(9, '0')}`
