export { printable } from '@affine/report/text'
export * from './command.ts'
export { type IsOwnVariable, readEnvLines, type SettingTexts } from './env-lines.ts'
export { envFile, expandPath, ownVariables } from './environment.ts'
export { maskUrls, readNamed } from './fault-text.ts'
export { EXIT_CODES, EXIT_CODES_TEXT, FAILED, leave, outliveStdout } from './leave.ts'
export { NAMES_FILE, readNames } from './names.ts'
export { type Output, output } from './output.ts'
export {
  formatPurpose,
  interrupted,
  perform,
  type RunOptions,
  raceAbort,
  run,
  waitForAbort,
} from './run.ts'
export * from './setting.ts'
export { formatTable, formatValue, printTable, type Rows } from './table.ts'
