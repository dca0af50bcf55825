import { describe, expect, test } from '@jest/globals';
import { findMachineTraces } from './machine-traces.ts';

/** Spelled so that this file does not contain what it forbids. */
const path = (...steps: string[]) => ['', ...steps].join('/');
const host = (...labels: string[]) => labels.join('.');

describe('a trace of one machine is refused', () => {
  test.each([
    [`cd ${path('work', 'main')}`, 'a checkout'],
    [`"file": "${path('home', 'jane', 'src', 'x.ts')}"`, 'a home folder'],
    [`(${path('Users', 'jane', 'x')})`, 'on a Mac'],
    [`${path('root', '.npmrc')}`, 'the home of root'],
    [`> ${path('tmp', 'out.log')}`, 'a scratch file'],
    [`https://${host('registry', 'npmjs', 'org')}/x`, 'a registry'],
    [`GOPROXY=https://${host('proxy', 'golang', 'org')}`, 'a module proxy'],
    [`https://${host('acme', 'jfrog', 'io')}/npm`, 'a company’s registry'],
  ])('%s: %s', (line) => {
    expect(findMachineTraces('docs/x.md', `fine\n${line}\n`)).toEqual([
      expect.stringMatching(/^docs\/x\.md:2: (a path of one machine|the host of a package registry) /),
    ]);
  });

  test('a lock file that names where packages came from', () => {
    expect(findMachineTraces('a/package-lock.json', '{\n  "resolved": "x"\n}')).toHaveLength(1);
  });

  test('an .npmrc that names a registry', () => {
    expect(findMachineTraces('.npmrc', 'registry = x')).toHaveLength(1);
  });
});

test.each([
  ['https://example.com/work/item', 'part of an address'],
  ['$HOME/work/x', 'relative to a variable'],
  ['./tmp/x and dist/tmp/x', 'relative paths'],
  ['image: registry.k8s.io/pause', 'where images come from'],
  ['the /work of others', 'no path'],
  ['omit-lockfile-registry-resolved=true', 'a setting that only sounds like one'],
])('%s is fine: %s', (line) => {
  expect(findMachineTraces('.npmrc', line)).toEqual([]);
});
