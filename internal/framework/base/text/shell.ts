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

/** `kubectl`, with the namespace if there is one. */
export function kubectlArguments(namespace: string | undefined): readonly string[] {
  return namespace === undefined ? ['kubectl'] : ['kubectl', '-n', namespace];
}

/**
 * A command of kubectl on one object: `kubectl -n shop get secrets admin`, or `... secrets/--name` for a name that kubectl would
 * read as an option.
 *
 * @param type as kubectl knows it: `secrets`, `widgets.example.org`
 * @param more further arguments
 */
export function objectCommand(
  verb: string,
  type: string,
  key: NamedObject,
  ...more: readonly string[]
): string {
  return shellCommand('kubectl', ...objectArguments(verb, type, key), ...more);
}

interface NamedObject {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The words of `objectCommand` after `kubectl`, for commands with further flags. */
export function objectArguments(verb: string, type: string, { namespace, name }: NamedObject): string[] {
  const object = name.startsWith('-') ? [`${type}/${name}`] : [type, name];
  return [...kubectlArguments(namespace).slice(1), verb, ...object];
}
