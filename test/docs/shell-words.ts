/** The commands of the provider in a block of shell code, as words; comments, pipes and redirections end one. */
export interface Invocation {
  readonly program: 'make' | 'provider-kyma';
  readonly words: readonly string[];
}

/** `kubectl kyma` is the provider as well. */
export function invocationsIn(code: string): Invocation[] {
  const lines = code.replaceAll(/\\\n/g, ' ').split('\n');
  return lines.flatMap((line) => commandsIn(line).flatMap(invocationOf));
}

function invocationOf(words: readonly string[]): Invocation[] {
  const begin = words.findIndex((word) => !/^\w+=/.test(word));
  const [first = '', second = '', ...rest] = begin < 0 ? [] : words.slice(begin);
  const name = first.replace(/^.*\//, '');
  if (name === 'kubectl' && second === 'kyma') return [{ program: 'provider-kyma', words: rest }];
  if (name !== 'make' && name !== 'provider-kyma') return [];
  return [{ program: name, words: second === '' ? rest : [second, ...rest] }];
}

/** The words of a line, by command. Quotes are removed; a quoted text is one word. */
function commandsIn(line: string): string[][] {
  const commands: string[][] = [[]];
  const tokens = line.matchAll(
    /'([^']*)'|"([^"]*)"|(#.*$)|(\|\||&&|<\(|[|;&()<>])|((?:[^\s'"|;&()<>#]|(?<=\S)#|(?<==)['"][^'"]*['"])+)/g,
  );
  for (const [, single, double, comment, end, word] of tokens) {
    if (comment !== undefined) break;
    if (end !== undefined) commands.push([]);
    else commands.at(-1)?.push(single ?? double ?? word?.replaceAll(/['"]/g, '') ?? '');
  }
  return commands;
}
