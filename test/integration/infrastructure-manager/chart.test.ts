/** The chart of the infrastructure manager: what Helm 3 and 4 render, and that a real API server and the program accept it. */
import { expect, test } from '@jest/globals';
import { Command } from 'commander';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import { addStartFlags } from '../../../internal/program/provider/flags.ts';
import { INFRASTRUCTURE_MANAGER_CHART } from '../../environment/helm.ts';
import { infrastructureManagerCrds } from '../../environment/install-crds.ts';
import { objectsOf } from '../../environment/objects.ts';
import { kindClient } from '../apis/kind-client.ts';
import { controlPlanes } from '../harness/control-planes/control-planes.ts';
import { createRestrictedNamespace, describeChart } from '../harness/describe-chart.ts';

interface Container {
  readonly image: string;
  readonly args: string[];
  readonly resources: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}
interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas: number;
    readonly strategy?: object;
    readonly template: {
      readonly spec: {
        readonly containers: readonly [Container];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

const minimal = { image: { repository: 'registry.example.org/kyma' }, gardener: { projectName: 'kyma-dev' } };
const isCrd = ({ kind }: KubeObject) => kind === 'CustomResourceDefinition';
const byName = (a: KubeObject, b: KubeObject) => a.metadata.name.localeCompare(b.metadata.name, 'en');
const deploymentIn = (objects: readonly KubeObject[]) =>
  objects.find(({ kind }) => kind === 'Deployment') as Deployment;
const containerIn = (objects: readonly KubeObject[]) =>
  deploymentIn(objects).spec.template.spec.containers[0];

await describeChart(INFRASTRUCTURE_MANAGER_CHART, (helm) => {
  const render = (values: object = {}) => helm.render({ ...minimal, ...values }, 'kcp-system');

  test('helm lint finds nothing', async () => {
    const lint = ['lint', INFRASTRUCTURE_MANAGER_CHART, '--strict'];
    expect(await helm.run(lint, minimal)).toContain('0 chart(s) failed');
  });

  test('the CRDs are as generated, and are always kept', async () => {
    const crds = (await render()).filter(isCrd).toSorted(byName);
    expect(crds.map(({ metadata }) => metadata.annotations)).toEqual(
      crds.map(() => ({ 'helm.sh/resource-policy': 'keep' })),
    );
    expect(crds.map((crd) => ({ ...crd, metadata: { name: crd.metadata.name } }))).toEqual(
      ((await infrastructureManagerCrds()) as unknown as KubeObject[]).toSorted(byName),
    );
  });

  test('the program accepts the flags, which name the namespace and the mounted files', async () => {
    const container = containerIn(
      await render({ args: ['--gardener-request-timeout=60s', '--kubeconfig-expiration-time=24h'] }),
    );
    expect(container.image).toBe('registry.example.org/kyma:v0.1.0');
    const flags = addStartFlags(new Command(), {}).exitOverride().parse(container.args, { from: 'user' });
    expect(flags.opts()).toMatchObject({
      controllers: 'infrastructure-manager',
      leaderElection: false,
      runtimeNamespace: 'kcp-system',
      gardenerKubeconfigPath: '/gardener/kubeconfig/kubeconfig',
      gardenerProjectName: 'kyma-dev',
      converterConfigFilepath: '/converter-config/converter_config.json',
      gardenerRequestTimeout: 60_000,
    });
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([
      '/gardener/kubeconfig',
      '/converter-config',
    ]);
  });

  test('files of the configuration are mounted where the values say', async () => {
    const deployment = deploymentIn(
      await render({
        maintenanceWindows: { name: 'maintenance-window-config' },
        auditLogTenants: { name: 'tenants', mountPath: '/tenants' },
      }),
    );
    const { containers, volumes } = deployment.spec.template.spec;
    expect(containers[0].volumeMounts.slice(2)).toEqual([
      { name: 'audit-log-tenants', mountPath: '/tenants', readOnly: true },
      { name: 'maintenance-windows', mountPath: '/maintenance-window-config', readOnly: true },
    ]);
    expect(volumes.slice(2)).toEqual([
      { name: 'audit-log-tenants', configMap: { name: 'tenants' } },
      { name: 'maintenance-windows', configMap: { name: 'maintenance-window-config' } },
    ]);
  });

  test('one pod replaces the other without leader election; with it there may be several', async () => {
    const alone = await render();
    expect(deploymentIn(alone).spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(alone.some(({ kind }) => kind === 'PodDisruptionBudget')).toBe(false);
    const several = await render({ replicas: 2, leaderElection: true });
    expect(deploymentIn(several).spec.strategy).toBeUndefined();
    expect(several.some(({ kind }) => kind === 'PodDisruptionBudget')).toBe(true);
  });

  test.each<[string, object, string]>([
    ['no image', { image: {} }, 'image.repository is required'],
    ['no project', { gardener: {} }, 'gardener.projectName is required'],
    ['replicas without leader election', { replicas: 2 }, 'leaderElection=false needs replicas=1'],
    ['an unknown value', { replica_count: 2 }, "additional properties 'replica_count' not allowed"],
    ['a text for a number', { replicas: 'two' }, "at '/replicas': got string, want integer"],
    ['a project with its prefix', { gardener: { projectName: 'Garden' } }, 'does not match pattern'],
    ['a flag that is none', { args: ['gardener-request-timeout=60s'] }, 'does not match pattern'],
  ])('values with %s are refused', async (_, values, message) => {
    await expect(render(values)).rejects.toThrow(message);
  });

  test('an API server accepts the objects, which meet the Pod Security Standard restricted', async () => {
    const { management } = await controlPlanes();
    const objects = objectsOf(management);
    const namespace = await createRestrictedNamespace(objects, 'chart');
    const values = { ...minimal, replicas: 2, leaderElection: true };
    const rendered = (await helm.render(values, namespace)).filter((object) => !isCrd(object));
    for (const object of rendered) {
      const [version = '', group = ''] = object.apiVersion.split('/').toReversed();
      const { kind } = object;
      const plural = `${kind.toLowerCase()}s`;
      const isNamespaced = object.metadata.namespace !== undefined;
      const type = { group, version, kind, plural, namespaced: isNamespaced };
      const client = kindClient(management, type, isNamespaced ? namespace : undefined);
      const { status, body } = await client.apply(object.metadata.name, object, 'dryRun=All');
      expect([kind, status, body]).toMatchObject([kind, expect.any(Number), { kind }]);
    }
    const { template } = deploymentIn(rendered).spec;
    const pod = { ...template, apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pod' } };
    const pods = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
    const { spec } = pod as unknown as { spec: object };
    const answer = await kindClient(management, pods, namespace).create(
      { ...pod, spec: { ...spec, serviceAccountName: 'default' } },
      'dryRun=All',
    );
    expect(answer).toMatchObject({ status: 201 });
  });
});
