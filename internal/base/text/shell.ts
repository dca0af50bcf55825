/**
 * Quoting of commands that messages recommend. They contain untrusted names, and users paste them into a shell.
 */

const plainWord = /^[\w@%+:,./-][\w@%+=:,./-]*$/;

/** The word, quoted for a POSIX shell if necessary. */
function shellWord(text: string): string {
  return plainWord.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command line with each word as one argument. */
export function shellCommand(...words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/**
 * The arguments of kubectl for one object: `secrets admin`, or `secrets/--name` for a name that kubectl would read as an
 * option.
 */
export function objectArguments(type: string, name: string): readonly string[] {
  return name.startsWith('-') ? [`${type}/${name}`] : [type, name];
}

/** `kubectl`, with the namespace if there is one. */
export function kubectlArguments(namespace: string | undefined): readonly string[] {
  return namespace === undefined ? ['kubectl'] : ['kubectl', '-n', namespace];
}
