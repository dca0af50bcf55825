import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { argoApplications } from '../gitops/argo-applications.ts';
import { btpVerdicts } from '../gitops/btp-phases.ts';
import { runtimeVerdicts } from '../gitops/infrastructure-manager-phases.ts';
import { kymaClusterVerdicts } from '../gitops/kyma-cluster-phases.ts';
import { verdicts } from '../gitops/phases.ts';

const readPage = () => readFile(new URL('../../docs/gitops.md', import.meta.url), 'utf8');

test.each([
  { table: 1, expected: verdicts },
  { table: 2, expected: btpVerdicts },
  { table: 3, expected: runtimeVerdicts },
  { table: 4, expected: kymaClusterVerdicts },
])('table $table of docs/gitops.md has the phases of the tests of the health checks', async (row) => {
  const table = (await readPage()).split('| kstatus alone |\n|---|---|---|---|\n')[row.table] ?? '';
  const rows = table.split('\n\n')[0]?.split('\n') ?? [];
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  const reported = cells.map(([, phase, argo, flux, kstatus]) => [phase, { argo, flux, kstatus }]);
  expect(Object.fromEntries(reported)).toEqual(row.expected);
});

test('the commands that end a sync name an Application of the examples, and terminate its operation', async () => {
  const page = await readPage();
  const [, byCli] = /^argocd app terminate-op (\S+)$/m.exec(page) ?? [];
  const [, byPatch, patch = ''] = /^kubectl patch application (\S+) .*--patch '(.*)'$/m.exec(page) ?? [];
  const names = (await argoApplications()).map(({ metadata }) => metadata.name);
  expect(names).toContain(byCli);
  expect(byPatch).toBe(byCli);
  expect(JSON.parse(patch)).toEqual({ status: { operationState: { phase: 'Terminating' } } });
});
