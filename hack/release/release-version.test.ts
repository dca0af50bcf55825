import { expect, test } from '@jest/globals';
import { releaseVersion } from './release-version.ts';

test.each(['v1.2.3', '1.2.3'])('%s has its tag with a v and its version without', (text) => {
  expect(releaseVersion(text)).toEqual({ tag: 'v1.2.3', version: '1.2.3' });
});

test('pre-releases are versions', () => {
  expect(releaseVersion('v1.0.0-rc.1').tag).toBe('v1.0.0-rc.1');
});

test.each(['', 'v1', 'v1.2', 'v01.2.3', '1.2.3+build', 'latest', 'v1.2.3-', 'v1.2.3-01'])(
  '"%s" is refused',
  (text) => {
    expect(() => releaseVersion(text)).toThrow(`cannot release version "${text}"`);
  },
);
