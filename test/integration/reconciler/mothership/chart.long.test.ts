/** The chart of the reconciler: what Helm 3 and 4 render, and that a real API server and the programs accept it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Command } from 'commander';
import type { ConfigMap, KubeObject, Secret } from '../../../../internal/framework/kube/object/object.ts';
import { addGroups, type FlagGroup } from '../../../../internal/framework/process/flag.ts';
import { addStartFlags, type StartFlags } from '../../../../internal/program/provider/flags.ts';
import { componentGroups } from '../../../../internal/systems/reconciler/components/component-flags.ts';
import { loadSettings } from '../../../../internal/systems/reconciler/mothership/config/load-settings.ts';
import {
  type MothershipFlags,
  mothershipGroups,
} from '../../../../internal/systems/reconciler/mothership/config/start-flags.ts';
import { RECONCILER_CHART } from '../../../environment/helm.ts';
import { installCrds, reconcilerCrds } from '../../../environment/install-crds.ts';
import { objectsOf } from '../../../environment/objects.ts';
import { kindClient } from '../../apis/kind-client.ts';
import { controlPlanes } from '../../harness/control-planes/control-planes.ts';
import { createRestrictedNamespace, describeChart } from '../../harness/describe-chart.ts';

interface Container {
  readonly image: string;
  readonly command: string[];
  readonly args: string[];
  readonly env: readonly { readonly name: string; readonly valueFrom?: object }[] | null;
  readonly volumeMounts?: readonly object[];
  readonly resources: object;
}
interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly strategy?: object;
    readonly template: {
      readonly spec: { readonly containers: readonly [Container]; readonly volumes?: readonly object[] };
    };
  };
}

const minimal = {
  image: { repository: 'registry.example.org/kyma' },
  login: { mesh: true },
  database: { urlSecret: { name: 'postgres' } },
};
const several = {
  ...minimal,
  components: {
    base: {},
    istio: {
      replicas: 2,
      maxParallel: 50,
      gitTokenSecret: 'git',
      gitTokenHosts: ['a.example.org', 'b.example.org'],
    },
    serverless: { autoscaling: { enabled: true } },
  },
  networkPolicy: { metricsFrom: [] },
  kymaClusters: { enabled: true, args: ['--poll=5m'] },
};
const named = (objects: readonly KubeObject[], kind: string, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const deployment = (objects: readonly KubeObject[], name: string) =>
  named(objects, 'Deployment', name) as Deployment;
const container = (objects: readonly KubeObject[], name: string) =>
  deployment(objects, name).spec.template.spec.containers[0];

const volumes = (objects: readonly KubeObject[], name: string) =>
  deployment(objects, name).spec.template.spec.volumes;
const kept = { 'helm.sh/resource-policy': 'keep' };

/** The flags of a container, as its program reads them. */
function flagsOf(args: readonly string[], groups: readonly FlagGroup[]): Record<string, unknown> {
  const command = new Command().option('--no-login').argument('[name]').exitOverride();
  return addGroups(command, groups)
    .parse(
      args.filter((arg) => !['mothership', 'component', 'start'].includes(arg)),
      { from: 'user' },
    )
    .opts();
}

await describeChart(RECONCILER_CHART, (helm) => {
  let folder: string;
  const render = (values: object = {}) => helm.render({ ...minimal, ...values }, 'kyma-reconciler');
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reconciler-chart-'));
  });
  afterAll(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  test('helm lint finds nothing', async () => {
    expect(await helm.run(['lint', RECONCILER_CHART, '--strict'], minimal)).toContain('0 chart(s) failed');
  });

  test('the mothership accepts its flags and its file, which names the Services of all component reconcilers', async () => {
    const objects = await render({
      ...several,
      mothership: {
        args: ['--reconcile-interval=10m'],
        scheduler: { preComponents: [['istio']] },
        reconcilers: { external: { url: 'https://external.example.org/v1/run' } },
      },
    });
    const { image, command, args, env } = container(objects, 'btp-mothership');
    expect({ image, command }).toEqual({
      image: 'registry.example.org/kyma:v0.1.0',
      command: ['/usr/local/bin/provider-kyma'],
    });
    const flags = flagsOf(args, mothershipGroups) as unknown as MothershipFlags;
    expect(flags).toMatchObject({
      login: false,
      reconcileInterval: 600_000,
      migrateDatabase: true,
      componentTokenFile: '/component-token/token',
    });
    expect(env).toEqual([
      { name: 'RECONCILER_DATABASE_URL', valueFrom: { secretKeyRef: { name: 'postgres', key: 'url' } } },
    ]);
    const { data } = named(objects, 'ConfigMap', 'btp-mothership') as ConfigMap;
    const config = join(folder, 'reconciler.yaml');
    await writeFile(config, data?.['reconciler.yaml'] ?? '');
    const settings = await loadSettings({ ...flags, config }, {});
    expect(settings.baseUrl).toBe('http://btp-mothership.kyma-reconciler:8080');
    expect(Object.fromEntries(settings.scheduler.reconcilers)).toEqual({
      base: 'http://btp-base.kyma-reconciler:8080/v1/run',
      external: 'https://external.example.org/v1/run',
      istio: 'http://btp-istio.kyma-reconciler:8080/v1/run',
      serverless: 'http://btp-serverless.kyma-reconciler:8080/v1/run',
    });
    expect(Object.fromEntries(settings.scheduler.maxParallel)).toEqual({ istio: 50 });
    expect(settings.scheduler.preComponents).toEqual([['istio']]);
  });

  test('each component reconciler is a Deployment with a Service, and its program accepts its flags', async () => {
    const objects = await render(several);
    for (const name of ['base', 'istio', 'serverless']) {
      const { args } = container(objects, `btp-${name}`);
      expect(args.slice(0, 3)).toEqual(['component', 'start', name]);
      expect(flagsOf(args.slice(3), componentGroups)).toMatchObject({
        login: true,
        tokenFile: '/component-token/token',
        workspace: '/workspace',
      });
      expect(named(objects, 'Service', `btp-${name}`)).toBeDefined();
      expect(named(objects, 'NetworkPolicy', `btp-${name}`)).toBeDefined();
    }
    expect(container(objects, 'btp-istio').env).toEqual([
      { name: 'GIT_CLONE_TOKEN', valueFrom: { secretKeyRef: { name: 'git', key: 'token' } } },
      { name: 'GIT_CLONE_TOKEN_HOSTS', value: 'a.example.org,b.example.org' },
    ]);
  });

  test.each<[string, object, { secretName: string; key: string }]>([
    ['that Helm makes', {}, { secretName: 'btp-component-token', key: 'token' }],
    [
      'that exists',
      { componentTokenSecret: { name: 'tokens', key: 'tasks' } },
      { secretName: 'tokens', key: 'tasks' },
    ],
  ])('the token of tasks is in a Secret %s, which all parts mount', async (_, values, want) => {
    const objects = await render(values);
    const items = [{ key: want.key, path: 'token' }];
    for (const name of ['btp-mothership', 'btp-base']) {
      expect(volumes(objects, name)).toContainEqual({
        name: 'component-token',
        secret: { secretName: want.secretName, items },
      });
      expect(container(objects, name).volumeMounts).toContainEqual({
        name: 'component-token',
        mountPath: '/component-token',
        readOnly: true,
      });
    }
    const made = named(objects, 'Secret', 'btp-component-token') as Secret | undefined;
    if ('componentTokenSecret' in values) expect(made).toBeUndefined();
    else expect(Buffer.from(made?.data?.token ?? '', 'base64').toString()).toMatch(/^[0-9A-Za-z]{48}$/);
  });

  test('further volumes of each part are mounted beside its own', async () => {
    const further = { volumes: [{ name: 'more', configMap: { name: 'more' } }] };
    const part = { ...further, volumeMounts: [{ name: 'more', mountPath: '/more' }] };
    const own = async (name: string) => volumes(await render({ kymaClusters: { enabled: true } }), name);
    const objects = await render({
      mothership: part,
      components: { base: part },
      kymaClusters: { enabled: true, ...part },
    });
    for (const name of ['btp-mothership', 'btp-base', 'btp-kyma-clusters']) {
      expect(volumes(objects, name)).toEqual([...((await own(name)) ?? []), ...part.volumes]);
      expect(container(objects, name).volumeMounts?.at(-1)).toEqual(part.volumeMounts[0]);
    }
  });

  test('KymaClusters are installed where they are asked for: CRDs, an account with their rights, a controller', async () => {
    const without = await render();
    expect(without.filter(({ kind }) => kind === 'CustomResourceDefinition')).toEqual([]);
    expect(named(without, 'Deployment', 'btp-kyma-clusters')).toBeUndefined();
    const objects = await render(several);
    const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(crds.map(({ metadata }) => metadata.name).sort()).toEqual(
      (await reconcilerCrds()).map(({ metadata }) => metadata.name).sort(),
    );
    for (const { metadata } of crds) expect(metadata.annotations).toEqual(kept);
    const { args, env } = container(objects, 'btp-kyma-clusters');
    const flags = addStartFlags(new Command(), { POD_NAMESPACE: 'kyma-reconciler' })
      .exitOverride()
      .parse(args.slice(1), { from: 'user' })
      .opts<StartFlags>();
    expect(flags).toMatchObject({ controllers: 'reconciler', leaderElection: true, poll: 300_000 });
    expect(env).toContainEqual({ name: 'PROVIDER_NAME', value: 'btp-kyma-clusters' });
    const account = { kind: 'ServiceAccount', name: 'btp-kyma-clusters', namespace: 'kyma-reconciler' };
    for (const [kind, name] of [
      ['ClusterRoleBinding', 'provider-kyma-clusters'],
      ['RoleBinding', 'btp-kyma-clusters'],
    ] as const) {
      expect(named(objects, kind, name)).toMatchObject({ subjects: [account] });
    }
    expect(named(objects, 'Role', 'btp-kyma-clusters')).toMatchObject({
      rules: [{}, { resourceNames: ['crossplane-leader-election-btp-kyma-clusters'] }],
    });
  });

  test('an autoscaler sets the replicas by busy workers, so that they fall when nothing is to do', async () => {
    const objects = await render(several);
    expect(deployment(objects, 'btp-serverless').spec.replicas).toBeUndefined();
    expect(named(objects, 'HorizontalPodAutoscaler', 'btp-serverless')).toMatchObject({
      spec: {
        minReplicas: 1,
        maxReplicas: 5,
        metrics: [
          {
            pods: {
              metric: { name: 'reconciler_workers_busy' },
              target: { type: 'AverageValue', averageValue: '30' },
            },
          },
        ],
      },
    });
    expect(deployment(objects, 'btp-istio').spec.replicas).toBe(2);
    expect(named(objects, 'PodDisruptionBudget', 'btp-istio')).toBeDefined();
  });

  test('an embedded database is on a volume that an uninstall keeps, and one pod replaces the other', async () => {
    const objects = await render({
      database: { embedded: { enabled: true } },
      mothership: { replicas: 1 },
    });
    expect(deployment(objects, 'btp-mothership').spec.strategy).toEqual({ type: 'Recreate' });
    expect(flagsOf(container(objects, 'btp-mothership').args, mothershipGroups)).toMatchObject({
      dataDir: '/data/database',
    });
    // The database is within the process, and takes more than the process alone.
    expect(container(objects, 'btp-mothership').resources).toEqual({
      limits: { cpu: '1', memory: '1Gi' },
      requests: { cpu: '100m', memory: '1Gi' },
    });
    expect(container(await render(), 'btp-mothership').resources).toMatchObject({
      limits: { memory: '300Mi' },
    });
    expect(named(objects, 'PersistentVolumeClaim', 'btp-mothership')?.metadata.annotations).toEqual({
      'helm.sh/resource-policy': 'keep',
    });
  });

  test('a changed configuration makes new pods', async () => {
    const checksum = async (values: object) => {
      const { template } = deployment(await render(values), 'btp-mothership').spec;
      return (template as unknown as KubeObject).metadata.annotations?.['checksum/config'];
    };
    expect(await checksum({})).toBe(await checksum({}));
    expect(await checksum(several)).not.toBe(await checksum({}));
  });

  test.each<[string, object, string]>([
    ['no image', { image: {} }, 'image.repository is required'],
    ['no login', { login: {} }, 'one of login.oidc.issuerURL and login.mesh=true is required'],
    [
      'an issuer and a mesh',
      { login: { mesh: true, oidc: { issuerURL: 'https://issuer.example.org', clientID: 'x' } } },
      'one of login.oidc.issuerURL and login.mesh=true',
    ],
    [
      'no audience',
      { login: { oidc: { issuerURL: 'https://issuer.example.org' } } },
      'login.oidc.clientID is required',
    ],
    ['no database', { database: {} }, 'one of database.urlSecret.name and database.embedded.enabled=true'],
    [
      'replicas on an embedded database',
      { database: { embedded: { enabled: true } } },
      'needs mothership.replicas=1',
    ],
    ['no component reconciler', { components: { base: null } }, 'must have an entry'],
    ['a component of the name mothership', { components: { mothership: {} } }, 'cannot have this name'],
    [
      'a component of the name kyma-clusters',
      { components: { 'kyma-clusters': {} }, kymaClusters: { enabled: true } },
      'cannot have this name',
    ],
    ['an unknown value', { replica_count: 2 }, "additional properties 'replica_count' not allowed"],
  ])('values with %s are refused', async (_, values, message) => {
    await expect(render(values)).rejects.toThrow(message);
  });

  test('an API server accepts the objects, whose pods meet the Pod Security Standard restricted', async () => {
    const { management } = await controlPlanes();
    const objects = objectsOf(management);
    const namespace = await createRestrictedNamespace(objects, 'reconciler');
    const all = await helm.render(several, namespace);
    const rendered = all.filter((object) => object.metadata.namespace === namespace);
    await installCrds(
      management,
      all.filter(({ kind }) => kind === 'CustomResourceDefinition'),
    );
    const clusterWide = all.filter(({ kind }) => kind.startsWith('ClusterRole'));
    expect(clusterWide).toHaveLength(5);
    const plurals: Readonly<Record<string, string>> = { NetworkPolicy: 'networkpolicies' };
    for (const object of [...rendered, ...clusterWide]) {
      const [version = '', group = ''] = object.apiVersion.split('/').toReversed();
      const { kind } = object;
      const type = {
        group,
        version,
        kind,
        plural: plurals[kind] ?? `${kind.toLowerCase()}s`,
        namespaced: object.metadata.namespace !== undefined,
      };
      const client = kindClient(management, type, object.metadata.namespace);
      const { status, body } = await client.apply(object.metadata.name, object, 'dryRun=All');
      expect([kind, status, body]).toMatchObject([kind, expect.any(Number), { kind }]);
    }
    const pods = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
    for (const name of ['btp-mothership', 'btp-istio', 'btp-kyma-clusters']) {
      const { template } = deployment(rendered, name).spec;
      const { spec } = template as unknown as { spec: object };
      const pod = { ...template, apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pod' } };
      const answer = await kindClient(management, pods, namespace).create(
        { ...pod, spec: { ...spec, serviceAccountName: 'default' } },
        'dryRun=All',
      );
      expect(answer).toMatchObject({ status: 201 });
    }
  });
});
