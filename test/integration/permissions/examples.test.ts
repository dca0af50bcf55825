/** The roles that are shipped as examples, applied as users apply them. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { canI } from '../../../internal/framework/kube/client/access-review.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import { leases } from '../../../internal/framework/kube/object/resource-type.ts';
import type { RequiredRight } from '../../../internal/framework/module/right.ts';
import {
  composingRights,
  requiredRights,
  reviewPermissions,
} from '../../../internal/program/doctor/permissions/run-permissions.ts';
import { defaultFlags } from '../../../internal/program/provider/flags.ts';
import { loadModules } from '../../../internal/program/provider/open-modules.ts';
import { eventually } from '../../environment/eventually.ts';
import type { ClusterRole } from '../../environment/package-permissions.ts';
import { bindingManifest } from '../../environment/rights.ts';
import { editKubeconfig } from '../harness/access/kubeconfigs.ts';
import { diagnosisOf } from '../harness/diagnosis.ts';
import { forFile } from '../harness/for-file.ts';
import { addProviderAccount } from '../harness/provider/provider-account.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';
import { connect } from '../kube/connect.ts';

const root = new URL('../../../', import.meta.url);

const environment = forFile(startTestEnvironment);

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

describe('examples/composition/hana-database/rbac.yaml', () => {
  const path = 'examples/composition/hana-database/rbac.yaml';
  const group = 'services.cloud.sap.com';
  const CONTROLLERS = 'config,inventory,btp';
  const flags = () => ({ ...defaultFlags(), releaseNamespace: 'kyma-system' });

  test('with what Crossplane has and grants, the chain can be composed and reconciled', async () => {
    const { management } = environment.planes;
    const modules = await loadModules(CONTROLLERS);
    const account = await addProviderAccount(management, { name: 'provider-kyma' });
    await account.grantCrossplaneRole();
    for (const file of ['examples/provider/rbac.yaml', path]) {
      for (const object of await example(file)) await apply(management, object);
    }
    // As Crossplane's chart and its RBAC manager make them.
    const metadata = { name: 'crossplane-of-test' };
    const labels = { 'rbac.crossplane.io/aggregate-to-crossplane': 'true' };
    const base = { apiVersion: 'rbac.authorization.k8s.io/v1' };
    const own = modules
      .flatMap(({ kinds }) => kinds.map(({ type }) => type.group))
      .filter((each) => each !== group);
    const core = { namespace: 'crossplane-system', name: 'crossplane-of-test' };
    for (const object of [
      {
        ...base,
        kind: 'ClusterRole',
        metadata,
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
      },
      {
        ...base,
        kind: 'ClusterRole',
        metadata: { name: 'crossplane-of-test-kinds', labels },
        rules: [{ apiGroups: own, resources: ['*'], verbs: ['*'] }],
      },
      bindingManifest(metadata, { kind: 'ServiceAccount', ...core }),
    ]) {
      await apply(management, object);
    }
    const client = connect(management.kubeconfig);
    const missing = async (rights: readonly RequiredRight[], user: string) =>
      (await reviewPermissions({ client, rights, user, signal: AbortSignal.timeout(30_000) })).missing;
    try {
      await eventually(async () => {
        expect(await missing(requiredRights(modules, { flags: flags() }), account.user)).toEqual([]);
        const user = `system:serviceaccount:${core.namespace}:${core.name}`;
        expect(await missing(composingRights(modules), user)).toEqual([]);
      });
    } finally {
      await client.close();
    }
  });

  test.each([
    ['crossplane-service-instances', composingRights],
    [
      'provider-kyma-service-instances',
      (modules: Awaited<ReturnType<typeof loadModules>>) => requiredRights(modules, { flags: flags() }),
    ],
  ])('%s grants what is needed and nothing else', async (name, rightsOf) => {
    const role = (await example(path)).find((object) => object.metadata.name === name) as ClusterRole;
    const granted = role.rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((each) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${each}`)),
      ),
    );
    const needed = rightsOf(await loadModules('btp'))
      .filter(({ type }) => type.group === group)
      .map(({ verb, type, subresource }) => {
        const resource = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
        return `${verb} ${resource}.${group}`;
      });
    expect([...new Set(granted)].sort()).toEqual([...new Set(needed)].sort());
  });
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
