import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { objectCommand, shellCommand } from './shell.ts';

/** What a POSIX shell makes of the line, each argument as it is. */
function argumentsOf(line: string): string[] {
  const script = `print() { for each; do printf '%s\\0' "$each"; done; }; print ${line}`;
  const output = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
  return output.split('\0').slice(0, -1);
}

test('usual words stay as they are, since most people read commands before they paste them', () => {
  expect(shellCommand('kubectl', '-n', 'shop', 'get', 'secrets', 'hana-admin', '-o', 'yaml')).toBe(
    'kubectl -n shop get secrets hana-admin -o yaml',
  );
});

test.each([
  '$(touch pwned)',
  '`id`',
  "it's; rm -rf x",
  'a b',
  '*',
  '~',
  '#x',
  '',
  'a\nb',
  '!1',
  '\\',
  '"',
  '&&',
  '=ls',
])('%j reaches the command as it is, and runs nothing', (hostile) => {
  expect(argumentsOf(shellCommand(hostile, 'x'))).toEqual([hostile, 'x']);
});

test('property: a shell reads back every word', () => {
  const word = fc.string({ unit: 'binary-ascii' }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
      expect(argumentsOf(shellCommand(...words))).toEqual(words);
    }),
    { numRuns: 30 },
  );
});

test('a command on an object has its namespace, and further arguments at the end', () => {
  const key = { namespace: 'shop', name: 'admin' };
  expect(objectCommand('get', 'secrets', key, '-o', 'yaml')).toBe(
    'kubectl -n shop get secrets admin -o yaml',
  );
  expect(objectCommand('describe', 'nodes', { name: 'one' })).toBe('kubectl describe nodes one');
});

test('a name that looks like an option is no argument of its own', () => {
  expect(objectCommand('get', 'secrets', { name: '--as=admin' })).toBe('kubectl get secrets/--as=admin');
});
