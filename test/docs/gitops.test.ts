import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { isObject } from '../../internal/framework/base/index.ts';
import {
  btpCrds,
  infrastructureManagerCrds,
  packageCrds,
  reconcilerCrds,
} from '../environment/install-crds.ts';
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

test('the fields whose changes Argo CD overlooks are those of the schemas whose content is open', async () => {
  const groups = await Promise.all([packageCrds(), btpCrds(), infrastructureManagerCrds(), reconcilerCrds()]);
  const found = new Map<string, Set<string>>();
  for (const crd of groups.flat()) {
    const names = openFieldsOf(crd);
    if (names.length > 0) found.set(crd.spec.names.kind, new Set(names));
  }
  const [, section = ''] = (await readPage()).split('## A change that Argo CD does not see\n');
  const rows =
    section
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => /^\| [A-Z]/.test(line)) ?? [];
  const documented = new Map<string, Set<string>>();
  for (const row of rows) {
    const [, kinds = '', fields = ''] = row.split(' | ').length === 2 ? ['', ...row.split(' | ')] : [];
    // The lists that a field is in are named too.
    const names = [...fields.matchAll(/`([\w.]+)`/g)].map(([, path = '']) => path.split('.').at(-1) ?? '');
    const open = names.filter((name) => !/workers$/i.test(name));
    for (const [kind] of kinds.matchAll(/\w+/g)) documented.set(kind, new Set(open));
  }
  expect(documented).toEqual(found);
});

/** The names of fields that are `x-kubernetes-preserve-unknown-fields`, anywhere in a schema. */
function openFieldsOf(schema: unknown, name = ''): string[] {
  if (Array.isArray(schema)) return schema.flatMap((each) => openFieldsOf(each, name));
  if (!isObject(schema)) return [];
  const own = schema['x-kubernetes-preserve-unknown-fields'] === true ? [name] : [];
  return [
    ...own,
    ...Object.entries(schema).flatMap(([key, each]) =>
      openFieldsOf(each, ['items', 'properties'].includes(key) ? name : key),
    ),
  ];
}
