/** An amount in rao as a decimal with nine places: 10^9 rao are `1.000000000`. */
export const decimalOf = (rao: bigint): string =>
  `${rao / 10n ** 9n}.${`${rao % 10n ** 9n}`.padStart(9, '0')}`
