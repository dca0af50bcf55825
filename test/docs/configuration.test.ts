import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { boundsOf, environmentTwin } from '../../internal/process/flags/flag.ts';
import { flagTable } from '../../internal/provider/flags.ts';

const page = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8');

test('every flag is listed with its environment variable and its bounds, and no other', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `--'));
  const listed = rows.map((row) => {
    const [, flags = '', env = '', , bounds = ''] = row.split('|');
    return {
      flag: /--([a-z-]+)/.exec(flags)?.[1],
      env: /`([A-Z_]+)`/.exec(env)?.[1],
      bounds: bounds.trim(),
    };
  });
  const known = Object.entries(flagTable()).map(([flag, options]) => ({
    flag,
    env: environmentTwin(flag, options),
    bounds: boundsOf(options),
  }));
  const byFlag = (a: { flag?: string | undefined }, b: { flag?: string | undefined }) =>
    (a.flag ?? '').localeCompare(b.flag ?? '');
  expect(listed.sort(byFlag)).toEqual(known.sort(byFlag));
});
