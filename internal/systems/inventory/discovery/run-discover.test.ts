import { expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { plain } from '../../../framework/module/console/shown.ts';
import type { FoundMapping } from './discover.ts';
import { importOf } from './manifest.ts';
import { formatDiscovery, type Row } from './run-discover.ts';

const location = { form: 'binding', binding: { namespace: 'shop', name: 'hana-admin' } } as const;
const rows = [
  {
    serviceInstanceID: 'i-1',
    mapping: { platform: 'cloudfoundry', primaryID: 'org', secondaryID: 'space', isDefault: false },
    location,
    ofOwnCluster: false,
  },
  {
    serviceInstanceID: 'i-1',
    mapping: { platform: 'kubernetes', primaryID: 'c-1', secondaryID: 'billing', isDefault: true },
    location,
    serviceInstance: { namespace: 'shop', name: 'hana' },
    ofOwnCluster: true,
  },
].map(
  (found: FoundMapping): Row => ({ found, import: importOf(found, { managementPolicies: ['Observe'] }) }),
);

test('the table has the mappings, and the resource that imports each or why there is none', () => {
  expect(formatDiscovery('table', rows, { instances: 1 }, plain).split('\n')).toEqual([
    'INSTANCE-ID  PLATFORM      PRIMARY-ID  SECONDARY-ID  DEFAULT  IMPORT',
    'i-1          cloudfoundry  org         space         false    none: an InstanceMapping needs a Secret with the credentials under one key: name one with --credentials-secret',
    'i-1          kubernetes    c-1         billing       true     KymaInstanceMapping billing-9be90c4a',
    '',
    '2 mappings of 1 instance without a resource; -o yaml prints the manifests.',
    '',
  ]);
  expect(formatDiscovery('table', [], { instances: 2 }, plain)).toBe(
    '0 mappings of 2 instances without a resource.\n',
  );
});

test('YAML output has one document per manifest', () => {
  expect(formatDiscovery('yaml', rows, { instances: 1 }, plain).split('\n')).toEqual([
    '---',
    'apiVersion: inventory.hana.orchestrate.cloud.sap/v1alpha1',
    'kind: KymaInstanceMapping',
    'metadata:',
    '  name: billing-9be90c4a',
    '  annotations:',
    '    crossplane.io/external-name: i-1/c-1/billing',
    'spec:',
    '  managementPolicies:',
    '    - Observe',
    '  forProvider:',
    '    serviceInstanceRef:',
    '      namespace: shop',
    '      name: hana',
    '    adminBindingRef:',
    '      namespace: shop',
    '      name: hana-admin',
    '    targetNamespace: billing',
    '    isDefault: true',
    '',
  ]);
  expect(formatDiscovery('yaml', [], { instances: 0 }, plain)).toBe('');
});

test('JSON output is one List of the same manifests', () => {
  const list = JSON.parse(formatDiscovery('json', rows, { instances: 1 }, plain));
  const documents = parseAllDocuments(formatDiscovery('yaml', rows, { instances: 1 }, plain));
  expect(list).toEqual({
    apiVersion: 'v1',
    kind: 'List',
    items: documents.map((document) => document.toJS()),
  });
});
