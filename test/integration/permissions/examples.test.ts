/** The roles that are shipped as examples, applied as users apply them. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { requiredRights } from '../../../internal/cli/doctor/permissions/required-rights.ts';
import { reviewPermissions } from '../../../internal/cli/doctor/permissions/review-permissions.ts';
import { canI } from '../../../internal/kube/client/access-review.ts';
import type { KubeObject } from '../../../internal/kube/object/object.ts';
import { leases } from '../../../internal/kube/object/resource-type.ts';
import { loadModules } from '../../../internal/provider/open-modules.ts';
import { eventually } from '../../environment/eventually.ts';
import { editKubeconfig } from '../harness/access/kubeconfigs.ts';
import { diagnosisOf } from '../harness/diagnosis.ts';
import { addProviderAccount } from '../harness/provider/provider-account.ts';
import { startTestEnvironment, type TestEnvironment } from '../harness/test-environment.ts';
import { connect } from '../kube/connect.ts';

const root = new URL('../../../', import.meta.url);

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
});
afterAll(() => environment.stop());

async function example(path: string): Promise<KubeObject[]> {
  const documents = parseAllDocuments(await readFile(new URL(path, root), 'utf8'));
  return documents.map((document): KubeObject => document.toJS());
}

/** As `kubectl apply --server-side` with strict validation. */
async function apply({ request }: ControlPlaneAccess, object: KubeObject): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const base = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const namespace = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  const path = `${base}${namespace}/${kind.toLowerCase()}s/${metadata.name}`;
  const { status, body } = await request(`${path}?fieldManager=kubectl&force=true&fieldValidation=Strict`, {
    method: 'PATCH',
    contentType: 'application/apply-patch+yaml',
    body: object,
  });
  expect({ path, status, body }).toMatchObject({ status: expect.any(Number), body: { kind } });
}

test('examples/provider/rbac.yaml completes what Crossplane grants, for the account that it names', async () => {
  const { management } = environment.planes;
  for (const object of await example('examples/provider/rbac.yaml')) await apply(management, object);
  const account = await addProviderAccount(management, { name: 'provider-kyma' });
  const client = connect(management.kubeconfig);
  const { user } = account;
  try {
    // While Crossplane moves its rights from one revision to the next.
    const ownLease = {
      type: leases,
      namespace: 'crossplane-system',
      name: 'crossplane-leader-election-provider-kyma',
    };
    for (const verb of ['get', 'update'])
      await eventually(async () =>
        expect(await canI(client, { verb, ...ownLease }, { user })).toMatchObject({ allowed: true }),
      );
    await account.grantCrossplaneRole();
    await eventually(async () => {
      const review = await reviewPermissions({
        client,
        rights: requiredRights(await loadModules()),
        user,
        signal: AbortSignal.timeout(30_000),
      });
      expect(review.missing).toEqual([]);
    });
  } finally {
    await client.close();
  }
});

test('examples/kyma-cluster/rbac.yaml has all permissions of a kubeconfig’s user, and mappings can wait by watches', async () => {
  const { kyma } = environment.planes;
  const scenario = await environment.scenario();
  await scenario.applySources(['instance', 'binding', 'secret']);
  const { namespace } = scenario;
  // Each test has a namespace and a cluster ID of its own.
  const moved = (await example('examples/kyma-cluster/rbac.yaml')).map((object): KubeObject => {
    const text = JSON.stringify(object)
      .replaceAll('"shop"', `"${namespace}"`)
      .replaceAll('"kyma-system"', `"${namespace}"`)
      .replaceAll('"sap-btp-operator-config"', '"cluster-id"');
    return JSON.parse(text);
  });
  for (const object of moved) await apply(kyma, object);
  const { body } = await kyma.request(`/api/v1/namespaces/${namespace}/serviceaccounts/provider-kyma/token`, {
    method: 'POST',
    body: { spec: { expirationSeconds: 3600 } },
  });
  const { token } = (body as { status: { token: string } }).status;
  await scenario.applyKubeconfig({ kubeconfig: editKubeconfig(kyma.kubeconfig, { credentials: { token } }) });
  await scenario.create();
  await scenario.untilReason('Synced', 'Waiting');
  const { checks } = await diagnosisOf(environment, scenario.name);
  expect(checks.filter(({ name }) => name === 'permissions')).toEqual([
    expect.objectContaining({ status: 'ok', cluster: 'management cluster' }),
    expect.objectContaining({ status: 'ok', cluster: scenario.clusterName }),
  ]);
  await scenario.apply('config');
  await scenario.untilReady();
});
