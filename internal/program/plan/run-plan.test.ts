import { expect, test } from '@jest/globals';
import { plain, printed, shown, styleFor } from '../../framework/module/console/shown.ts';
import { loadModules } from '../provider/open-modules.ts';
import { everything } from './plan.fixture.ts';
import { failedEntry } from './plan.ts';
import { formatPlan } from './run-plan.ts';

test('the table has a line per resource with reason and changes', () => {
  expect(formatPlan(shown(everything), plain).split('\n')).toEqual([
    '+ create  KymaInstanceMapping shop  (mappings.yaml:1)',
    '    it does not exist',
    '    external name: 2f4b7a3e-7c1d-4b52-9c57-5f0f3c1f6d10/c-1a2b3c4d/shop',
    '    in HANA Cloud:',
    '      + isDefault: false',
    '      + platform: kubernetes',
    '      + primaryID: c-1a2b3c4d',
    '      + secondaryID: shop',
    '      + serviceInstanceID: 2f4b7a3e-7c1d-4b52-9c57-5f0f3c1f6d10',
    '',
    '~ update  KymaInstanceMapping orders  (mappings.yaml:14)',
    '    isDefault is true, should be false',
    '    external name: i-2/c-1/orders',
    '    by delete and create',
    '    in HANA Cloud:',
    '      ~ isDefault: true -> false',
    '    in the manifest:',
    '      + metadata.labels.team: blue',
    '      - spec.deletionPolicy: Orphan',
    '      ~ spec.forProvider.isDefault: true -> false',
    '',
    '- delete  InstanceMapping team-a/billing  (cluster)',
    '    the resource is being deleted',
    '    external name: i-3/cloudfoundry/org',
    '    in HANA Cloud:',
    '      - primaryID: org',
    '',
    '= nothing  KymaInstanceMapping taken-over  (cluster)',
    '    it exists as asked for and would be adopted',
    '    in the cluster: delete Secret crossplane-system/taken-over-admin-creds',
    '    note: not checked by a dry run: the cluster does not know the kind',
    '',
    '? waiting  KymaInstanceMapping early  (stdin:3)',
    '    ConfigMap kyma-system/sap-btp-operator-config not found (on the management cluster)',
    '',
    'Plan: 1 to create, 1 to update, 1 to delete, 1 unchanged, 1 without a result.',
    '',
  ]);
});

test('colours have no information besides the signs', () => {
  const style = styleFor({ write: () => undefined }, { FORCE_COLOR: '1' });
  const coloured = formatPlan(shown(everything), style);
  expect(coloured).toContain('\u001b[32m+ create  KymaInstanceMapping shop\u001b[39m');
  expect(coloured).toContain('\u001b[31m- delete  InstanceMapping team-a/billing\u001b[39m');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of.
  expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(formatPlan(shown(everything), plain));
});

test('JSON and YAML have every field', () => {
  const never = () => '';
  const [, orders] = JSON.parse(printed('json', everything, never)).entries;
  expect(orders).toEqual({
    apiVersion: 'inventory.hana.orchestrate.cloud.sap/v1alpha1',
    kind: 'KymaInstanceMapping',
    name: 'orders',
    source: 'mappings.yaml:14',
    action: 'update',
    reason: 'isDefault is true, should be false',
    steps: ['delete', 'create'],
    externalName: 'i-2/c-1/orders',
    external: [{ path: 'isDefault', from: true, to: false }],
    object: [
      { path: 'metadata.labels.team', to: 'blue' },
      { path: 'spec.deletionPolicy', from: 'Orphan' },
      { path: 'spec.forProvider.isDefault', from: true, to: false },
    ],
    writes: [],
    notes: [],
  });
  expect(printed('yaml', everything, never)).toMatch(
    /\nsummary:\n {2}create: 1\n {2}update: 1\n {2}delete: 1\n {2}nothing: 1\n {2}unknown: 1\n$/,
  );
});

test('a credential in the error of a resource that cannot be read is not in its entry', async () => {
  const kind = (await loadModules()).flatMap((module) => module.kinds)[0];
  if (kind === undefined) throw new Error('there is no kind');
  const error = new Error('the proxy answered: authorization: Bearer eyJhbGciOi.payload.signature');
  const { reason } = failedEntry(kind, { name: 'shop', source: 'mappings.yaml:1' }, error);
  expect(reason).toContain('the proxy answered');
  expect(reason).not.toContain('payload');
});
