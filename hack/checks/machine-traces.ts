/*
 * What must not get into the repository because it is true on one machine only: absolute paths below the folders of
 * checkouts, and the registry that a package came from.
 */

interface Trace {
  readonly pattern: RegExp;
  readonly reason: string;
}

const TRACES: readonly Trace[] = [
  {
    pattern: /(?<![\w.~$}/-])\/(?:work|root|tmp|home\/[\w.-]+|Users\/[\w.-]+)(?:\/[\w.-]|$)/,
    reason: 'a path of one machine',
  },
  {
    pattern:
      /\b(?:registry\.(?:npmjs|yarnpkg|npmmirror)\.|(?:proxy|sum)\.golang\.|npm\.pkg\.|[\w-]+\.jfrog\.)\w+/,
    reason: 'the host of a package registry',
  },
];

/** What is wrong with the text of one file, one line each: `path:line: reason`. */
export function findMachineTraces(path: string, text: string): string[] {
  const problems: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    for (const { pattern, reason } of TRACES) {
      const match = pattern.exec(line);
      if (match !== null) problems.push(`${path}:${index + 1}: ${reason} (${match[0]})`);
    }
    if (path.endsWith('package-lock.json') && line.includes('"resolved":')) {
      problems.push(`${path}:${index + 1}: lock files name no source; .npmrc in this folder must say so`);
    }
    if (path.endsWith('.npmrc') && /^\s*(?:@[\w-]+:)?registry\s*=/.test(line)) {
      problems.push(`${path}:${index + 1}: which registry to use is for each machine to say`);
    }
  }
  return problems;
}
