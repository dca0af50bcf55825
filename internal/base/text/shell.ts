/**
 * Commands that are recommended to people hold names that others chose, and are pasted into a shell.
 */

const plainWord = /^[\w@%+:,./-][\w@%+=:,./-]*$/;

/** A word as a POSIX shell reads it back, whatever it holds: quoted where it has to be. */
function shellWord(text: string): string {
  return plainWord.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command line of these words, each of them one argument. */
export function shellCommand(...words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/**
 * The arguments by which kubectl takes one object: `secrets admin`. A name that looks like an option becomes
 * `secrets/--name`, which is none.
 */
export function objectArguments(type: string, name: string): readonly string[] {
  return name.startsWith('-') ? [`${type}/${name}`] : [type, name];
}

/** `kubectl`, in the namespace where there is one. */
export function kubectlArguments(namespace: string | undefined): readonly string[] {
  return namespace === undefined ? ['kubectl'] : ['kubectl', '-n', namespace];
}
