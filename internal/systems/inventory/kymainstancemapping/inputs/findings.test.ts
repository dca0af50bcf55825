/** What `doctor` reports of each input object: the field at fault and what is wrong with it. */
import { describe, expect, test } from '@jest/globals';
import type { Finding, Problem } from '../../input/read-input.ts';
import { base64, changed, complete, type Objects, read, without } from './inputs.fixture.ts';

const isReady = { type: 'Ready', status: 'True' };
const secret = 'ServiceBinding shop/hana-admin: secret shop/hana-admin-secret';

async function broken(objects: Objects): Promise<Finding[]> {
  return (await read(objects)).findings.filter(({ problems }) => problems.length > 0);
}

test('all input objects are reported, in the order of the chain, with the cluster and a target', async () => {
  const { findings } = await read(complete());
  expect(findings).toEqual([
    reported('ServiceInstance', 'ServiceInstance shop/hana', { namespace: 'shop', name: 'hana' }),
    reported('ServiceBinding', 'ServiceBinding shop/hana-admin', { namespace: 'shop', name: 'hana-admin' }),
    reported('Secret', secret, { namespace: 'shop', name: 'hana-admin-secret' }),
    reported('ConfigMap', 'ConfigMap kyma-system/sap-btp-operator-config', {
      namespace: 'kyma-system',
      name: 'sap-btp-operator-config',
    }),
  ]);
});

function reported(name: string, object: string, key: Finding['key']): object {
  const target = expect.objectContaining({ description: `${name} ${key.namespace}/${key.name}` });
  const type = expect.objectContaining({ kind: name });
  return { type, object, key, clusterName: 'test cluster', problems: [], target };
}

interface Case {
  readonly what: string;
  readonly objects: Objects;
  readonly object: string;
  readonly problems: readonly Problem[];
}
const unready = (status: Record<string, unknown>) =>
  changed('instance', { status: { instanceID: 'i-1', ...status } });

const cases: Case[] = [
  {
    what: 'an instance without status',
    objects: changed('instance', { status: undefined }),
    object: 'ServiceInstance shop/hana',
    problems: [
      {
        kind: 'incomplete',
        text: 'has no status.instanceID yet',
        field: 'status.instanceID',
      },
      { kind: 'not-ready', text: 'is not ready', field: 'status.conditions' },
    ],
  },
  {
    what: 'an instance ID of two words',
    objects: changed('instance', { status: { instanceID: 'i 1', conditions: [isReady] } }),
    object: 'ServiceInstance shop/hana',
    problems: [
      {
        kind: 'malformed',
        text: 'has a status.instanceID that holds white space or invisible characters, so it is no ID',
        field: 'status.instanceID',
      },
    ],
  },
  {
    what: 'a secretName that addresses another resource',
    objects: changed('binding', { spec: { secretName: '../configmaps/x' } }),
    object: 'ServiceBinding shop/hana-admin',
    problems: [
      {
        kind: 'malformed',
        text: 'has a spec.secretName that is not the name of a Secret',
        field: 'spec.secretName',
      },
    ],
  },
  {
    what: 'a Secret with half of the credentials',
    objects: changed('secret', { data: { uaa: base64('{"clientid":"sb-1","url":"https://u"}') } }),
    object: secret,
    problems: [
      { kind: 'incomplete', text: 'has no key baseurl', field: 'baseurl' },
      {
        kind: 'incomplete',
        text: 'has no clientsecret in key uaa',
        field: 'uaa.clientsecret',
      },
    ],
  },
  {
    what: 'a ConfigMap without cluster ID',
    objects: changed('config', { data: { OTHER: 'x' } }),
    object: 'ConfigMap kyma-system/sap-btp-operator-config',
    problems: [{ kind: 'incomplete', text: 'has no key CLUSTER_ID', field: 'CLUSTER_ID' }],
  },
  {
    what: 'a cluster ID that is too long',
    objects: changed('config', { data: { CLUSTER_ID: 'c'.repeat(254) } }),
    object: 'ConfigMap kyma-system/sap-btp-operator-config',
    problems: [
      {
        kind: 'malformed',
        text: 'has a key CLUSTER_ID of more than 253 characters, so it is no ID and no name',
        field: 'CLUSTER_ID',
      },
    ],
  },
];

test.each(cases)('the problem of $what has its field', async ({ objects, object, problems }) => {
  const findings = await broken(objects);
  expect(findings.map((finding) => [finding.object, finding.problems])).toEqual([[object, problems]]);
});

describe('an instance is ready', () => {
  test.each([
    {
      title: 'by its condition Ready, among others',
      status: { conditions: [null, { type: 'Failed' }, isReady] },
    },
    { title: 'by status.ready, without that condition', status: { conditions: [], ready: 'True' } },
    { title: 'by a boolean in status.ready', status: { ready: true } },
  ])('$title', async ({ status }) => {
    expect(await broken(unready(status))).toEqual([]);
  });
});

describe('an instance is not ready', () => {
  const failed = { type: 'Ready', status: 'False' };
  test.each([
    {
      title: 'without a condition Ready',
      status: { conditions: [{ type: 'Succeeded', status: 'True' }] },
      why: '',
    },
    {
      title: 'with an unknown condition',
      status: { conditions: [{ ...isReady, status: 'Unknown' }] },
      why: '',
    },
    {
      title: 'although an older status.ready is left',
      status: { conditions: [failed], ready: 'True' },
      why: '',
    },
    { title: 'with another status.ready', status: { ready: 'False' }, why: '' },
    {
      title: 'with a reason alone',
      status: { conditions: [{ ...failed, reason: 'CreateFailed', message: '' }] },
      why: ' (CreateFailed)',
    },
    {
      title: 'with a message alone, in one line',
      status: { conditions: [{ ...failed, reason: 7, message: ' no\n quota ' }] },
      why: ' (no quota)',
    },
    {
      title: 'with a message of any length',
      status: { conditions: [{ ...failed, message: 'x'.repeat(1000) }] },
      why: ` (${'x'.repeat(199)}…)`,
    },
    {
      title: 'with a message that quotes credentials',
      status: { conditions: [{ ...failed, reason: 'Failed', message: 'clientsecret=s3cret-value refused' }] },
      why: ' (Failed: clientsecret=[redacted] refused)',
    },
  ])('$title', async ({ status, why }) => {
    const [finding] = await broken(unready(status));
    expect(finding?.problems).toMatchObject([{ kind: 'not-ready', text: `is not ready${why}` }]);
  });
});

describe('a missing Secret', () => {
  const failed = { type: 'Ready', status: 'False', reason: 'CreateFailed', message: 'no quota' };
  const unreadyBinding = (objects: Objects): Objects => ({
    ...objects,
    binding: { ...changed('binding', { status: { conditions: [failed] } }).binding } as Objects[string],
  });

  test('is explained by a binding that is not ready', async () => {
    const [finding] = await broken(unreadyBinding(without('secret')));
    expect(finding?.problems).toMatchObject([
      { kind: 'not-ready', text: 'not found (the binding is not ready (CreateFailed: no quota))' },
    ]);
  });

  test('is not explained by a binding that is ready', async () => {
    const [finding] = await broken(without('secret'));
    expect(finding?.problems.map(({ text }) => text)).toEqual(['not found']);
  });

  test('that exists is used, although the binding is not ready: a rotation may be under way', async () => {
    const inputs = await read(unreadyBinding(complete()));
    expect(inputs.credentials?.clientId).toBe('sb-1');
    expect(inputs.findings.flatMap(({ problems }) => problems)).toEqual([]);
  });

  test('that cannot be read is not explained by the binding', async () => {
    const failures = { 'Secret shop/hana-admin-secret': new Error('boom') };
    const inputs = await read(unreadyBinding(complete()), failures);
    expect(inputs.findings.flatMap(({ problems }) => problems.map(({ text }) => text))).toEqual([
      'cannot be read: boom',
    ]);
  });
});
