import { expect, test } from '@jest/globals';
import { changelog } from './changelog.ts';
import type { GitHistory } from './git-history.ts';

const history: GitHistory = {
  revision: 'f'.repeat(40),
  date: '2026-11-21',
  uncommitted: [],
  previousTag: 'v1.0.0',
  commits: [
    { id: 'bbbbbbbbbbbb', subject: 'Second' },
    { id: 'aaaaaaaaaaaa', subject: 'First' },
  ],
};

test('one line a commit, the newest first', () => {
  expect(changelog('v1.1.0', history)).toBe(
    '# provider-kyma v1.1.0\n\n2026-11-21. Changes since v1.0.0:\n\n- Second (bbbbbbbbbbbb)\n- First (aaaaaaaaaaaa)\n',
  );
});

test('the first release has no list', () => {
  expect(changelog('v1.0.0', { ...history, previousTag: undefined })).toBe(
    '# provider-kyma v1.0.0\n\n2026-11-21. The first release.\n',
  );
});

test('a release without commits has a note', () => {
  expect(changelog('v1.0.1', { ...history, commits: [] })).toMatch(/Changes since v1\.0\.0:\n\n- none\n$/);
});
