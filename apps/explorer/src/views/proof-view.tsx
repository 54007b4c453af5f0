import type { ProofStep } from '@affine/blocks'
import { linkTo } from '../address.ts'
import { type Page, useAnswer } from '../page.ts'
import { showHidden, showOnLine } from '../visible.ts'
import type { SampleLine } from '../worker/epoch-accounts.ts'
import type { AnswerState } from '../worker/worker.ts'
import { Heading } from './parts.tsx'
import { Terms } from './terms.tsx'

interface ProofProps extends Page {
  readonly line: SampleLine
  /** Name of the file to save. */
  readonly name: string
}

/** Shows the steps of verifying a sample's proof, which the reader can save as a file. */
export function ProofView({ state, ask, line, name }: ProofProps) {
  const answer = useAnswer(ask, ['proof', line], [state.epochs.length])
  const { value } = answer
  return (
    <details class="fold">
      <summary>
        Its proof: <Verdict {...answer} />
      </summary>
      <p>
        <Terms>{STEPS}</Terms>
      </p>
      {value && (
        <button type="button" onClick={() => saveFile(name, value.file)}>
          Save the proof as a file
        </button>
      )}
      <Steps {...answer} />
    </details>
  )
}

const STEPS =
  'The proof shows anyone, by the chain alone, that the validator signed this sample and sealed ' +
  'it in time. Its challenge and rewards were recomputed with the whole lane. Save the proof, ' +
  'change a byte of the file, and drop it here: you see which steps detect the change.'

function saveFile(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.download = name
  link.click()
}

export interface ProofFileProps extends Page {
  readonly file: File | undefined
  readonly choose: (file: File | undefined) => void
}

const PROOF_FILE =
  'A proof is a file that shows one sample, and that it lies under a seal on this chain. Drop ' +
  'one on the page, or choose it. The view of a challenge saves its proof.'

/** Shows the steps of a proof file, recomputed in the browser. */
export function ProofFileView({ file, choose, ...page }: ProofFileProps) {
  return (
    <>
      <Heading>Check a proof</Heading>
      <p>
        <Terms>{PROOF_FILE}</Terms> <code>af-verify proof</code> and{' '}
        <code>affine-verify proof</code> check the same.
      </p>
      <p>
        <label>
          Proof file{' '}
          <input type="file" onChange={({ currentTarget }) => choose(currentTarget.files?.[0])} />
        </label>
      </p>
      {file && <FileVerdict {...page} file={file} />}
    </>
  )
}

function FileVerdict({ ask, file }: Page & { readonly file: File }) {
  const answer = useAnswer(ask, ['proofFile', file], [file])
  return (
    <>
      <h2>
        {showOnLine(file.name)}: <Verdict {...answer} />
      </h2>
      {answer.value?.line && (
        <p>
          <a href={linkTo.sample(answer.value.line)}>See this challenge</a>, if its epoch was
          recomputed.
        </p>
      )}
      <Steps {...answer} />
    </>
  )
}

type StepsAnswer = AnswerState<{ readonly steps: readonly ProofStep[] }>

/** States whether all steps are valid, or how many fail. */
function Verdict({ value, error }: StepsAnswer) {
  const { length = 0 } = value?.steps ?? []
  const failing = value?.steps.filter(({ fault }) => fault !== null).length ?? 0
  const valid = value ? `✔ All ${length} steps are valid.` : 'in progress…'
  const failed = failing > 0 ? `✘ ${failing} of ${length} steps fail.` : undefined
  return (
    <span role="status" class={(error ?? failed) === undefined ? 'good' : 'bad'}>
      {error ?? failed ?? valid}
    </span>
  )
}

const showValue = (value: string | number): string => showHidden(`${value}`, 400)

const Steps = ({ value }: StepsAnswer) => (
  <ol class="plain">
    {value?.steps.map(({ code, fault, values }) => {
      const [title, sentence] = SENTENCES[code]
      const shown = { ...values, ...(fault && { problem: fault.detail }) }
      return (
        <li key={code} class={fault ? 'step broken' : 'step'}>
          <details open={fault !== null}>
            <summary>
              <h3 class={fault ? 'bad' : 'good'}>
                {fault ? '✘' : '✔'} {title}
              </h3>
            </summary>
            <p>{fault ? `Expected: ${sentence}` : sentence}</p>
            <dl>
              {Object.entries(shown).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{[value].flat().map(showValue).join('\n')}</dd>
                </div>
              ))}
            </dl>
          </details>
        </li>
      )
    })}
  </ol>
)

/** Title of each step of Protocol §6.6, and the conclusion if the step is valid. */
const SENTENCES: Readonly<Record<ProofStep['code'], readonly [title: string, sentence: string]>> = {
  form: [
    'Proof → its form',
    'The proof and the header of the block have all members, each within its limits.',
  ],
  scope: [
    'Header → chain, subnet, validator, epoch',
    'The block belongs to the lane of this validator in this epoch.',
  ],
  headers: [
    'Header → block hash',
    'Each block has the hash of the one before it, up to the last of the lane, its head.',
  ],
  head: ['Head → seal on chain', 'This head was sealed in time: the lane can no longer change.'],
  signature: ['Signature', 'The validator signed the block.'],
  inclusion: [
    'Line → Merkle root',
    "The line is one of the lines under the root in the block's header.",
  ],
  sample: ['Line → sample', 'The line has the members of a sample, each within its limits.'],
}
