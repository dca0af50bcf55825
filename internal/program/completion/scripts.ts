/** Completion scripts for shells. They call the program for candidates. */

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** The hidden command; see command.ts for its output. */
export const completeCommand = '__complete';

/** The last line if a path can follow. */
export const filesLine = ':files';

export function completionScript(shell: Shell): string {
  switch (shell) {
    case 'bash':
      return bash;
    case 'zsh':
      return zsh;
    case 'fish':
      return fish;
    default:
      return shell satisfies never;
  }
}

const bash = `# bash completion for provider-kyma. Source it: source <(provider-kyma completion bash)
_provider_kyma() {
  local line word files= current="\${COMP_WORDS[COMP_CWORD]}"
  local -a words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  # Bash takes --flag=value for three words.
  if [[ $current == = ]]; then
    words=("\${COMP_WORDS[@]:1:COMP_CWORD-2}" "\${COMP_WORDS[COMP_CWORD-1]}=")
  elif (( COMP_CWORD > 2 )) && [[ \${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
    words=("\${COMP_WORDS[@]:1:COMP_CWORD-3}" "\${COMP_WORDS[COMP_CWORD-2]}=$current")
  fi
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ${filesLine} ]]; then files=1; continue; fi
    word="\${line%%$'\\t'*}"
    [[ $word == --*=* ]] && word="\${word#*=}"
    COMPREPLY+=("$word")
  done < <("\${COMP_WORDS[0]}" ${completeCommand} -- "\${words[@]}" 2>/dev/null)
  if [[ -n $files ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${current#=}")
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _provider_kyma provider-kyma
`;

const zsh = `#compdef provider-kyma
# zsh completion for provider-kyma. Put it on fpath as _provider-kyma, or source it after compinit.
_provider_kyma() {
  local line word about files=
  local -a described
  for line in "\${(@f)$("\${words[1]}" ${completeCommand} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -z $line ]] && continue
    if [[ $line == ${filesLine} ]]; then files=1; continue; fi
    word="\${line%%$'\\t'*}"
    about="\${line#*$'\\t'}"
    described+=("\${word//:/\\\\:}\${about:+:$about}")
  done
  (( \${#described} )) && _describe 'provider-kyma' described
  [[ -n $files ]] && _files
}
if [ "$funcstack[1]" = "_provider_kyma" ] || [ "$funcstack[1]" = "_provider-kyma" ]; then
  _provider_kyma
else
  compdef _provider_kyma provider-kyma
fi
`;

const fish = `# fish completion for provider-kyma. Source it: provider-kyma completion fish | source
function __provider_kyma_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] ${completeCommand} -- $words[2..-1] 2>/dev/null)
    if test "$line" = "${filesLine}"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c provider-kyma -f -a '(__provider_kyma_complete)'
`;
