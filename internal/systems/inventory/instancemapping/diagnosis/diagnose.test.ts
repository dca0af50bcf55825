import { expect, test } from '@jest/globals';
import {
  type InstanceMapping,
  instanceMapping,
} from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { ProviderError } from '../../../../framework/base/errors/errors.ts';
import type { Secret } from '../../../../framework/kube/object/object.ts';
import type { HanaCloudClient } from '../../hana-cloud/client.ts';
import { inputCluster } from '../../input/input-cluster.fixture.ts';
import { fakeHana } from '../../mapping/mapping.fixture.ts';
import { diagnoseInstanceMapping } from './diagnose.ts';

const SECRET = 'a-client-secret';
const condition = (type: string) => ({
  type,
  status: 'True' as const,
  reason: 'Available',
  lastTransitionTime: '2024-01-01T00:00:00Z',
});
const place = { platform: 'kubernetes', primaryID: 'c-1', secondaryID: 'shop' } as const;
const resource: InstanceMapping = {
  ...instanceMapping({
    name: 'ledger',
    namespace: 'shop',
    spec: {
      forProvider: {
        serviceInstanceID: 'i-1',
        ...place,
        adminCredentialsSecretRef: { name: 'admin', key: 'credentials' },
      },
    },
  }),
  status: { conditions: ['Synced', 'Ready'].map(condition) },
};
const credentials = (text: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'admin', namespace: 'shop' },
  data: { credentials: Buffer.from(text).toString('base64') },
});
const valid = JSON.stringify({
  baseurl: 'hana.example.org',
  uaa: { url: 'https://token.example.org', clientid: 'x', clientsecret: SECRET },
});
const described = 'kubectl -n shop describe instancemappings.inventory.hana.m.orchestrate.cloud.sap ledger';

interface Given {
  readonly object?: InstanceMapping | null;
  /** Content of the key; null: no Secret. */
  readonly text?: string | null;
  readonly isDefault?: boolean | null;
  readonly hana?: Partial<HanaCloudClient>;
}

/** Of what exists, and is in order unless it is given. */
async function reportOn({ object = resource, text = valid, isDefault = false, hana = {} }: Given) {
  let closed = 0;
  const mappings = isDefault === null ? [] : [{ ...place, isDefault }];
  const { client } = fakeHana({ 'i-1': mappings }, { close: async () => void closed++, ...hana });
  const diagnosis = await diagnoseInstanceMapping({
    kind: 'instancemapping',
    name: 'ledger',
    namespace: 'shop',
    cluster: inputCluster([
      ...(object === null ? [] : [object]),
      ...(text === null ? [] : [credentials(text)]),
    ]),
    hanaCloud: { connect: () => client },
    signal: new AbortController().signal,
  });
  return { diagnosis, closed };
}

test('a mapping that works is healthy in each check, and the connection is closed', async () => {
  const { diagnosis, closed } = await reportOn({});
  expect(diagnosis).toMatchObject({ mapping: 'shop/ledger', healthy: true });
  expect(diagnosis.checks.map(({ name, status, detail }) => `${name}: ${status}, ${detail}`)).toEqual([
    'resource: ok, found',
    'conditions: ok, Synced and Ready: True',
    'Secret: ok, found and complete',
    'token: ok, granted',
    'API: ok, mapped',
  ]);
  expect(JSON.stringify(diagnosis)).not.toContain(SECRET);
  expect(closed).toBe(1);
});

const store =
  'kubectl -n shop create secret generic admin --from-file=credentials=FILE --dry-run=client --output=yaml | kubectl apply --filename=-';

test.each<[string, Given, object]>([
  [
    'the mapping does not exist',
    { object: null },
    {
      name: 'resource',
      status: 'failed',
      remediation: 'kubectl -n shop get instancemappings.inventory.hana.m.orchestrate.cloud.sap',
    },
  ],
  [
    'a condition is missing',
    { object: { ...resource, status: {} } },
    { name: 'conditions', status: 'waiting', remediation: described },
  ],
  [
    'the Secret is missing',
    { text: null },
    {
      name: 'Secret',
      status: 'waiting',
      object: 'Secret shop/admin',
      field: 'credentials',
      remediation: store,
    },
  ],
  ['the content is none', { text: '{' }, { name: 'Secret', status: 'failed', remediation: store }],
  [
    'the token is refused',
    { hana: { checkToken: () => Promise.reject(new ProviderError('auth', 'refused')) } },
    { name: 'token', status: 'failed', detail: 'refused', remediation: store },
  ],
  [
    'the credentials are those of another instance',
    { hana: { listMappings: () => Promise.reject(new ProviderError('auth', 'not yours')) } },
    { name: 'API', status: 'failed', field: 'spec.forProvider.adminCredentialsSecretRef' },
  ],
  [
    'HANA Cloud fails',
    { hana: { listMappings: () => Promise.reject(new ProviderError('transient', 'out of order')) } },
    { name: 'API', status: 'failed', detail: 'out of order', remediation: described },
  ],
  [
    'HANA Cloud has no such mapping',
    { isDefault: null },
    {
      name: 'API',
      status: 'waiting',
      object: 'https://hana.example.org, mapping i-1/kubernetes/c-1/shop',
      remediation: described,
    },
  ],
  ['isDefault differs', { isDefault: true }, { name: 'API', status: 'waiting', remediation: described }],
])('%s: the check, and what to do', async (_, given, check) => {
  const { diagnosis } = await reportOn(given);
  expect(diagnosis.healthy).toBe(false);
  expect(diagnosis.checks.find(({ status }) => status !== 'ok')).toMatchObject(check);
});
