/** The shells that are supported. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** The script that makes a shell ask the program `name` to complete its own words. */
export function scriptOf(shell: Shell, name: string): string {
  const functionName = `_${name.replaceAll('-', '_')}_words`
  return SCRIPTS[shell](name, functionName)
}

/** Each completes files where the program offers no word. */
const SCRIPTS: Readonly<Record<Shell, (name: string, functionName: string) => string>> = {
  bash: (name, functionName) => `${functionName}() {
  local IFS=$'\\n'
  COMPREPLY=($("$1" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o bashdefault -o default -F ${functionName} ${name}
`,
  zsh: (name, functionName) => `${functionName}() {
  local -a found
  found=("\${(@f)$("$words[1]" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n $found ]]; then _describe ${name} found; else _files; fi
}
compdef ${functionName} ${name}
`,
  fish: (name, functionName) => `function ${functionName}
    set -l typed (commandline -opc)
    set -l last (commandline -ct)
    set -l found ($typed[1] completion fish -- $typed[2..-1] "$last" 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path "$last"
    end
end
complete -c ${name} -f -a '(${functionName})'
`,
}

/** A word for a shell to offer, with its description; bash shows words only. */
export function offerOf(shell: Shell, word: string, about: string): string {
  if (shell === 'bash') return word
  return shell === 'fish' ? `${word}\t${about}` : `${word.replaceAll(':', '\\:')}:${about}`
}
