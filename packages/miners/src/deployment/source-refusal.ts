/** Why a deployment's source is refused. Protocol §5.4. */
export type SourceFault =
  | 'TOO_LARGE'
  | 'TOO_DEEP'
  | 'ENCODING'
  | 'TOKEN'
  | 'SYNTAX'
  | 'STATEMENT'
  | 'IMPORT'
  | 'NO_CALL'
  | 'SECOND_CALL'
  | 'ARGUMENT'
  | 'REPEATED'
  | 'LITERAL'
  | 'MODEL'
  | 'REVISION'
  | 'IMAGE'
  | 'ENGINE_ARGUMENT'

/** Thrown inside these readers alone, and caught by `readTemplate`. */
export class SourceRefusal extends Error {
  readonly code: SourceFault
  /** Where in the source. */
  readonly at: number
  constructor(code: SourceFault, at: number, message: string) {
    super(message)
    this.code = code
    this.at = at
  }
}

const QUOTED = 60

/** A stranger's text in a message: short, and nothing that a terminal acts on. */
export function quoted(text: string): string {
  const short = text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text
  return JSON.stringify(short.replace(/[^ -~…]/g, '?'))
}
