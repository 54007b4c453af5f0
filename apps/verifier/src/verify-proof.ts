import { PROOF_BYTES } from '@affine/blocks'
import { readRegularFile } from '@affine/node/disk'
import { formatProof, nameHotkeysBy } from '@affine/report'
import { judgeProofFile, type Subnet } from '@affine/settlement'
import { type Output, printable, readNamed } from '@affine/terminal'

interface ProofOptions {
  /** Path of the proof. */
  readonly file: string
  /** Names of hotkeys, for display. */
  readonly names: Readonly<Record<string, string>>
}

/**
 * Checks a proof file, prints the verdict, and sets the exit code.
 * @throws RangeError, as a rejection, if the file does not exist, is not regular, or is too large.
 */
export async function verifyProof(
  subnet: Subnet,
  { file, names }: ProofOptions,
  screen: Output,
): Promise<void> {
  const { bytes } = await readNamed(readRegularFile(file, PROOF_BYTES))
  const verdict = await judgeProofFile(bytes, subnet)
  const { result, read } = verdict
  if (!result.ok) process.exitCode = 1
  const nameOf = nameHotkeysBy(names, (key) => printable(key))
  screen.line([formatProof(verdict, nameOf)], { type: 'proof', ...read?.header, ...result })
}
