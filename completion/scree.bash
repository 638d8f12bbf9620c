# bash completion of scree: asks the command itself (scree __complete), so that no list is kept here.
_scree() {
  local word=${COMP_WORDS[COMP_CWORD]} line files=
  local -a words=()
  # bash cuts words at "=": --plot=a.svg arrives in three
  [ "$word" != = ] || word=
  for line in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [ "$line" = = ] || words+=("$line")
  done
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
    :files) files=-f ;;
    :folders) files=-d ;;
    :nospace) compopt -o nospace 2>/dev/null ;;
    *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete "${words[@]}" "$word" 2>/dev/null)
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen $files -- "$word")
  fi
}
complete -F _scree scree
