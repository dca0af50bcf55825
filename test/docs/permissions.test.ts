import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { isGranted } from '../../internal/program/doctor/permissions/policy-rules.ts';
import { requiredRights } from '../../internal/program/doctor/permissions/run-permissions.ts';
import { defaultFlags } from '../../internal/program/provider/flags.ts';
import { loadModules } from '../../internal/program/provider/open-modules.ts';
import { gardenerRights } from '../../internal/systems/infrastructure-manager/infrastructure-manager.ts';
import { packageCrds } from '../environment/install-crds.ts';
import { crossplaneRules, exampleRights } from '../environment/package-permissions.ts';

const page = await readFile(new URL('../../docs/permissions.md', import.meta.url), 'utf8');
/** The table of a section. */
function rowsOf(heading: string) {
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  let above = '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => {
      const [, purpose = '', rights = '', grantedBy = ''] = line.split('|').map((cell) => cell.trim());
      // A row without a purpose goes on with that of the row above.
      above = purpose || above;
      return { purpose: above, rights, grantedBy };
    });
}
const verbsIn = (rows: readonly { readonly rights: string }[]) =>
  rows.flatMap(({ rights }) => [...rights.matchAll(/`([a-z]+)`/g)].map(([, word = '']) => word));
const rows = rowsOf('On the management cluster');
const rights = requiredRights(await loadModules());
const purposes = [...new Set(rights.map(({ purpose }) => purpose))];
const crossplane = crossplaneRules(await packageCrds(), { safeStart: true });
const { roles } = await exampleRights();

test('the table has every purpose that rights are needed for, and no other', () => {
  expect([...new Set(rows.map(({ purpose }) => purpose))].sort()).toEqual(
    purposes.map(({ neededFor }) => neededFor).sort(),
  );
});

test.each(purposes)('$name: all verbs are listed, with the roles that grant them', (purpose) => {
  const reported = rows.filter((row) => row.purpose === purpose.neededFor);
  const needed = rights.filter((right) => right.purpose === purpose);
  const verbs = verbsIn(reported);
  for (const { verb } of needed) {
    // What the row above lists is not repeated.
    if (!reported.some(({ rights: text }) => text.startsWith('the same'))) expect(verbs).toContain(verb);
  }
  const granters = new Set(
    needed.map((right) => {
      if (isGranted(crossplane, right)) return 'Crossplane';
      const role = roles.find(({ rules }) => isGranted(rules, right));
      return `role \`${role?.metadata.name}\``;
    }),
  );
  expect(reported.map(({ grantedBy }) => grantedBy.replace('Crossplane v2', 'Crossplane')).sort()).toEqual(
    [...granters].sort(),
  );
});

describe.each([
  { section: 'The module btp', rights: requiredRights(await loadModules('btp')) },
  {
    section: 'The module infrastructure-manager',
    rights: requiredRights(await loadModules('infrastructure-manager'), {
      flags: {
        ...defaultFlags(),
        registryCacheConfigControllerEnabled: true,
        apiServerAclEnabled: true,
        dedicatedAuditLoggingEnabled: true,
        runtimeBootstrapperEnabled: true,
        runtimeBootstrapperKcpClusterTrustBundle: 'certificates',
      },
    }),
  },
  {
    section: 'In Gardener',
    rights: gardenerRights({ ...defaultFlags(), registryCacheConfigControllerEnabled: true }),
  },
])('$section', ({ section, rights: needed }) => {
  const own = rowsOf(section);
  const all = Map.groupBy(needed, ({ purpose }) => purpose.neededFor);
  test.each([...all])('%s: all verbs and subresources are listed, and no others', (neededFor, needed) => {
    const listed = verbsIn(own.filter(({ purpose }) => purpose === neededFor));
    const words = needed.flatMap(({ verb, subresource }) => (subresource ? [verb, subresource] : [verb]));
    expect([...new Set(listed)].sort()).toEqual([...new Set(words)].sort());
  });

  test('the table has no other purpose', () => {
    expect([...new Set(own.map(({ purpose }) => purpose))].sort()).toEqual([...all.keys()].sort());
  });
});
