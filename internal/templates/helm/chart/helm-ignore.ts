import type { Budget } from '../../gotemplate/index.ts';
import { HelmError } from '../helm-error.ts';
import type { NamedFile } from './chart.ts';
import { compileShellPattern } from './shell-pattern.ts';

interface Rule {
  readonly isNegated: boolean;
  readonly mustBeFolder: boolean;
  readonly matches: (path: string) => boolean;
}

/** The files that the rules of `.helmignore` keep, and those of Helm itself. @throws HelmError for a wrong rule */
export function ignoreFiles(files: readonly NamedFile[], budget: Budget): NamedFile[] {
  const own = files.find(({ name }) => name === '.helmignore');
  const lines = own
    ? Buffer.from(own.data)
        .toString()
        .replace(/^\ufeff/, '')
        .split('\n')
    : [];
  const rules = [...lines, 'templates/.?*'].flatMap((line) => parseRule(line, budget));
  const ignoredFolders = new Map<string, boolean>();
  const isInIgnoredFolder = (name: string): boolean => {
    const at = name.lastIndexOf('/');
    if (at < 0) return false;
    const folder = name.slice(0, at);
    const known = ignoredFolders.get(folder);
    if (known !== undefined) return known;
    const isIgnoredFolder = isInIgnoredFolder(folder) || isIgnored(folder, true, rules);
    ignoredFolders.set(folder, isIgnoredFolder);
    return isIgnoredFolder;
  };
  return files.filter(({ name }) => !isInIgnoredFolder(name) && !isIgnored(name, false, rules));
}

function parseRule(line: string, budget: Budget): Rule[] {
  let pattern = line.trim();
  if (pattern === '' || pattern.startsWith('#')) return [];
  if (pattern.includes('**')) throw new HelmError('double-star (**) syntax is not supported');
  if (!compileShellPattern(pattern, budget)) throw new HelmError('syntax error in pattern');
  const isNegated = pattern.startsWith('!');
  if (isNegated) pattern = pattern.slice(1);
  const mustBeFolder = pattern.endsWith('/');
  if (mustBeFolder) pattern = pattern.slice(0, -1);
  const isRooted = pattern.startsWith('/');
  const test = compileShellPattern(isRooted ? pattern.slice(1) : pattern, budget);
  const isPath = isRooted || pattern.includes('/');
  const matches = (path: string): boolean =>
    test?.(isPath ? path : path.slice(path.lastIndexOf('/') + 1)) ?? false;
  return [{ isNegated, mustBeFolder, matches }];
}

function isIgnored(path: string, isFolder: boolean, rules: readonly Rule[]): boolean {
  for (const { isNegated, mustBeFolder, matches } of rules) {
    if (isNegated) {
      if ((mustBeFolder && !isFolder) || !matches(path)) return true;
    } else if ((!mustBeFolder || isFolder) && matches(path)) return true;
  }
  return false;
}
