import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { verdicts } from '../gitops/phases.ts';

test('docs/gitops.md says of each phase what the tests of the health checks hold', async () => {
  const page = await readFile(new URL('../../docs/gitops.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| kstatus by itself |\n|---|---|---|---|\n');
  const rows = table.split('\n\n')[0]?.split('\n') ?? [];
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  const told = cells.map(([, phase, argo, flux, kstatus]) => [phase, { argo, flux, kstatus }]);
  expect(Object.fromEntries(told)).toEqual(verdicts);
});
