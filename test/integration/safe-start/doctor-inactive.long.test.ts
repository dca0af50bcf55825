/** Crossplane creates no CRD for a kind that is not activated, and then no pod may run: what doctor reports. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { eventually } from '../../environment/eventually.ts';
import { installCrds } from '../../environment/install-crds.ts';
import { type Cli, createCli } from '../harness/provider/cli-run.ts';
import { noKubectlBecause, openUserShell } from '../harness/user-shell/user-shell.ts';

/** The used part: names, scope and the field of Crossplane's own CRD. */
const managedResourceDefinitions = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'managedresourcedefinitions.apiextensions.crossplane.io',
    annotations: { 'api-approved.kubernetes.io': 'unapproved' },
  },
  spec: {
    group: 'apiextensions.crossplane.io',
    names: { kind: 'ManagedResourceDefinition', plural: 'managedresourcedefinitions' },
    scope: 'Cluster',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

let management: ControlPlane;
let cli: Cli;
beforeAll(async () => {
  management = await startControlPlane({ name: 'inactive' });
  cli = await createCli(management, '');
}, 120_000);
afterAll(async () => {
  await cli?.stop();
  await management?.stop();
}, 120_000);

const legacy = 'kymainstancemappings.inventory.hana.orchestrate.cloud.sap';
const modern = 'kymainstancemappings.inventory.hana.m.orchestrate.cloud.sap';

/** What Crossplane makes of a CRD of the package. */
async function define(name: string, state: string): Promise<void> {
  const path = `/apis/apiextensions.crossplane.io/v1alpha1/managedresourcedefinitions/${name}`;
  const { status } = await management.request(`${path}?fieldManager=crossplane&force=true`, {
    method: 'PATCH',
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion: 'apiextensions.crossplane.io/v1alpha1',
      kind: 'ManagedResourceDefinition',
      metadata: { name },
      spec: { state },
    },
  });
  expect(status).toBeLessThan(300);
}

async function resourceCheck(...args: string[]) {
  const { code, out } = await cli.run(['doctor', ...args, '-o', 'json']);
  expect(code).toBe(1);
  const [check] = JSON.parse(out).checks;
  return check;
}

test('without Crossplane it names the CRDs to install', async () => {
  expect(await resourceCheck('shop')).toMatchObject({
    name: 'resource',
    status: 'failed',
    detail: `the kind is not installed: there is no CRD ${legacy}`,
    remediation: 'kubectl apply --server-side -f package/crds/',
  });
});

test.each([
  { scope: 'cluster-scoped', args: ['shop'], name: legacy },
  { scope: 'namespaced', args: ['-n', 'shop', 'hana'], name: modern },
])('of an inactive kind it names the activation policy, $scope', async ({ args, name }) => {
  await installCrds(management, [managedResourceDefinitions]);
  await define(name, 'Inactive');

  expect(await resourceCheck(...args)).toMatchObject({
    name: 'resource',
    status: 'failed',
    detail: `the kind is inactive in Crossplane: no ManagedResourceActivationPolicy activates ${name}, and without an active kind the provider's pod may not run`,
    remediation: 'kubectl apply -f examples/provider/activation.yaml',
  });
});

test('of an active kind without a CRD it names the definition, which has the reason', async () => {
  await define(legacy, 'Active');

  expect(await resourceCheck('shop')).toMatchObject({
    status: 'failed',
    detail: `the kind is active in Crossplane, and there is no CRD ${legacy} yet`,
    remediation: `kubectl describe managedresourcedefinitions.apiextensions.crossplane.io ${legacy}`,
  });
});

const execute = noKubectlBecause() === undefined ? test : test.skip;
execute('after the command that installs the CRDs the kind is known', async () => {
  const path = `/apis/apiextensions.crossplane.io/v1alpha1/managedresourcedefinitions/${legacy}`;
  await management.request(path, { method: 'DELETE' });
  const { remediation } = await resourceCheck('shop');
  const shell = await openUserShell(management.kubeconfigPath);
  try {
    await shell.run(remediation);
  } finally {
    await shell.close();
  }
  await eventually(async () =>
    expect(await resourceCheck('shop')).toMatchObject({
      detail: expect.stringContaining('"shop" not found'),
    }),
  );
});
