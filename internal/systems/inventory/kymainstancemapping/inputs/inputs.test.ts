import { describe, expect, test } from '@jest/globals';
import { ProviderError, WaitingError } from '../../../../framework/base/errors/errors.ts';
import { KubeApiError, UnreachableError } from '../../../../framework/kube/errors/errors.ts';
import { connectionProblem } from '../../input/connection-problem.ts';
import { inputCluster, objectKey } from '../../input/input-cluster.fixture.ts';
import { base64, changed, complete, type Objects, read, refs, without } from './inputs.fixture.ts';
import { readAccess } from './inputs.ts';

describe('readInputs', () => {
  test('finds instance, cluster ID and credentials', async () => {
    const inputs = await read(complete());
    expect(connectionProblem(inputs.findings)).toBeUndefined();
    expect(inputs.instance).toEqual({ id: 'i-1', name: 'hana', ready: true });
    expect(inputs.clusterID).toBe('c-1');
    expect(inputs.credentials).toMatchObject({ clientId: 'sb-1', source: 'Secret shop/hana-admin-secret' });
  });

  test('a binding without secretName has a Secret of its own name', async () => {
    const objects = changed('binding', { spec: {} });
    objects.secret = {
      ...complete().secret,
      metadata: { namespace: 'shop', name: 'hana-admin' },
    } as Objects[string];
    expect((await read(objects)).credentials).toBeDefined();
  });

  test('status.ready of older operators counts as ready', async () => {
    const inputs = await read(changed('instance', { status: { instanceID: 'i-1', ready: 'True' } }));
    expect(inputs.instance?.ready).toBe(true);
  });

  const table: {
    title: string;
    reason: string;
    objects: Objects;
    message: string;
    waits: boolean;
  }[] = [
    {
      title: 'NoInstance',
      reason: 'A missing input object is waited for.',
      objects: without('instance'),
      message: 'ServiceInstance shop/hana not found (on test cluster)',
      waits: true,
    },
    {
      title: 'NoBinding',
      reason: 'The name of the Secret is in the binding, so only the binding is reported.',
      objects: without('binding'),
      message: 'ServiceBinding shop/hana-admin not found (on test cluster)',
      waits: true,
    },
    {
      title: 'NoSecret',
      reason: 'The Secret is reported with its binding, to which the spec refers.',
      objects: without('secret'),
      message: 'ServiceBinding shop/hana-admin: secret shop/hana-admin-secret not found (on test cluster)',
      waits: true,
    },
    {
      title: 'NoConfigMap',
      reason: "The default ConfigMap is the BTP service operator's.",
      objects: without('config'),
      message: 'ConfigMap kyma-system/sap-btp-operator-config not found (on test cluster)',
      waits: true,
    },
    {
      title: 'Nothing',
      reason: 'All missing objects are reported together.',
      objects: {},
      message:
        'ServiceInstance shop/hana not found; ServiceBinding shop/hana-admin not found; ConfigMap kyma-system/sap-btp-operator-config not found (on test cluster)',
      waits: true,
    },
    {
      title: 'NotReady',
      reason: "The operator's own reason helps to find out why.",
      objects: changed('instance', {
        status: {
          instanceID: 'i-1',
          conditions: [{ type: 'Ready', status: 'False', reason: 'InProgress', message: 'provisioning' }],
        },
      }),
      message: 'ServiceInstance shop/hana is not ready (InProgress: provisioning) (on test cluster)',
      waits: true,
    },
    {
      title: 'NoStatus',
      reason: 'A new ServiceInstance has neither ID nor condition; both are reported.',
      objects: changed('instance', { status: undefined }),
      message:
        'ServiceInstance shop/hana has no status.instanceID yet; ServiceInstance shop/hana is not ready (on test cluster)',
      waits: true,
    },
    {
      title: 'IdOfWrongType',
      reason: 'Malformed content is an error, since a user must change it.',
      objects: changed('instance', {
        status: { instanceID: 7, conditions: [{ type: 'Ready', status: 'True' }] },
      }),
      message:
        'ServiceInstance shop/hana has a status.instanceID that is not a string but a number (on test cluster)',
      waits: false,
    },
    {
      title: 'SecretNameOfWrongType',
      reason: 'As above, for the link from binding to Secret.',
      objects: changed('binding', { spec: { secretName: ['x'] } }),
      message:
        'ServiceBinding shop/hana-admin has a spec.secretName that is not a string but an array (on test cluster)',
      waits: false,
    },
    {
      title: 'NoUaa',
      reason: 'A missing key is reported.',
      objects: changed('secret', { data: { baseurl: base64('https://api.example.org') } }),
      message:
        'ServiceBinding shop/hana-admin: secret shop/hana-admin-secret has no key uaa (on test cluster)',
      waits: true,
    },
    {
      title: 'UaaNoJson',
      reason: 'A damaged Secret is a failure, and its content is not quoted.',
      objects: changed('secret', {
        data: { baseurl: base64('https://api.example.org'), uaa: base64('s3cret-value') },
      }),
      message:
        'ServiceBinding shop/hana-admin: secret shop/hana-admin-secret has a key uaa that is not a JSON object (on test cluster)',
      waits: false,
    },
    {
      title: 'NoClusterID',
      reason: 'The ConfigMap is there before the operator fills it in.',
      objects: changed('config', { data: {} }),
      message: 'ConfigMap kyma-system/sap-btp-operator-config has no key CLUSTER_ID (on test cluster)',
      waits: true,
    },
    {
      title: 'EmptyClusterID',
      reason: 'Empty counts as missing.',
      objects: changed('config', { data: { CLUSTER_ID: ' \n' } }),
      message: 'ConfigMap kyma-system/sap-btp-operator-config has an empty key CLUSTER_ID (on test cluster)',
      waits: true,
    },
    {
      title: 'ClusterIDWithSpaces',
      reason: 'Such an ID is never valid.',
      objects: changed('config', { data: { CLUSTER_ID: 'a b' } }),
      message:
        'ConfigMap kyma-system/sap-btp-operator-config has a key CLUSTER_ID that holds white space or invisible characters, so it is no ID (on test cluster)',
      waits: false,
    },
  ];
  test.each(table)('$title: $reason', async ({ objects, message, waits }) => {
    const problem = connectionProblem((await read(objects)).findings);
    expect(problem?.message).toBe(message);
    expect(problem instanceof WaitingError).toBe(waits);
    expect(problem?.targets.length).toBeGreaterThan(0);
  });

  test('problems to wait for and errors are reported together, as an error', async () => {
    const objects = changed('config', { data: { CLUSTER_ID: 'a b' } });
    delete objects.instance;
    const problem = connectionProblem((await read(objects)).findings);
    expect(problem).not.toBeInstanceOf(WaitingError);
    expect(problem?.message).toMatch(/not found; .*white space/);
  });

  test('an unreachable cluster is reported once, waited for and retried', async () => {
    const error = new UnreachableError(
      { verb: 'get', object: 'x', clusterName: 'test cluster' },
      'connection refused',
    );
    const failures = Object.fromEntries(
      Object.values(complete()).map((object) => [objectKey(object), error]),
    );
    const problem = connectionProblem((await read(complete(), failures)).findings);
    expect(problem).toBeInstanceOf(WaitingError);
    expect(problem instanceof WaitingError && problem.retry).toBe(true);
    expect(problem?.message.match(/connection refused/g)).toHaveLength(1);
  });

  test('a refused read is a failure that names the object', async () => {
    const attempt = { verb: 'get', object: 'Secret shop/hana-admin-secret', clusterName: 'test cluster' };
    const failures = { 'Secret shop/hana-admin-secret': new KubeApiError(attempt, { httpStatus: 403 }) };
    const problem = connectionProblem((await read(complete(), failures)).findings);
    expect(problem).toBeInstanceOf(ProviderError);
    expect(problem?.kind).toBe('transient');
    expect(problem?.message).toContain('secret shop/hana-admin-secret cannot be read');
  });

  test('no message has values of a Secret', async () => {
    for (const { objects } of table) {
      const problem = connectionProblem((await read(objects)).findings);
      expect(JSON.stringify(problem?.message)).not.toContain('s3cret-value');
    }
  });
});

test('readAccess needs neither instance nor ConfigMap', async () => {
  const { binding, secret } = complete();
  const objects = [binding, secret].flatMap((object) => (object ? [object] : []));
  const inputs = await readAccess(inputCluster(objects), refs, new AbortController().signal);
  expect(inputs.findings.every(({ problems }) => problems.length === 0)).toBe(true);
  expect(inputs.credentials).toBeDefined();
});
