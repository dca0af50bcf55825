import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import * as configMessages from '../../internal/managed/providerconfig/model/messages.ts';
import * as conditions from '../../internal/managed/resource/conditions.ts';
import * as messages from '../../internal/managed/steps/messages/messages.ts';

const page = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');

/** Cells of one column of the table under a heading. */
function column(heading: string, index: number): string[] {
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
  return rows.map((row) => row.split('|')[index + 1]?.trim().replaceAll('`', '') ?? '');
}

const reasonsOf = (module: Record<string, unknown>): string[] =>
  Object.entries(module).flatMap(([name, value]) =>
    name.startsWith('reason') && typeof value === 'string' ? [value] : [],
  );

test('every reason of a condition is explained, and no other', () => {
  const explained = new Set(['Synced', 'Ready', 'UpToDate'].flatMap((type) => column(type, 1)));
  expect([...explained].sort()).toEqual([...new Set(reasonsOf(conditions))].sort());
});

test('every reason of an event is explained, and no other', () => {
  expect(column('Events', 1).sort()).toEqual([...new Set(reasonsOf(messages))].sort());
});

test('every reason of a provider configuration is explained, and no other', () => {
  expect(column('ProviderConfig', 1).sort()).toEqual(reasonsOf(configMessages).sort());
});
