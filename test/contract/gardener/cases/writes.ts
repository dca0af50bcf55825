/** Creation, changes, generations and what is refused. */
import { expect } from '@jest/globals';
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import {
  type ContractCase,
  changed,
  createdShoot,
  createShoot,
  current,
  shootOf,
  statusOf,
  uniqueShootName,
  withWorkers,
  worker,
} from '../contract-case.ts';

const key = ({ metadata: { namespace = '', name } }: { metadata: { namespace?: string; name: string } }) => ({
  namespace,
  name,
});

/** With the keys of its infrastructureConfig in the reverse order. */
const reordered = (shoot: Shoot): Shoot =>
  changed(shoot, ({ provider, ...spec }) => {
    const entries = Object.entries(provider.infrastructureConfig ?? {}).reverse();
    return { ...spec, provider: { ...provider, infrastructureConfig: Object.fromEntries(entries) } };
  });

export const writeCases: readonly ContractCase[] = [
  {
    title: 'a new Shoot has the defaults, labels and annotations of Gardener',
    run: async (server) => {
      const { spec, metadata, status } = await createShoot(server, {
        metadata: { labels: { account: 'a' } },
      });
      expect(spec).toEqual({
        ...shootOf(server, 'any').spec,
        addons: { kubernetesDashboard: { enabled: false, authenticationMode: 'token' } },
        cloudProfile: { kind: 'CloudProfile', name: 'aws' },
        kubernetes: {
          version: '1.31.8',
          kubeAPIServer: {
            requests: { maxNonMutatingInflight: 400, maxMutatingInflight: 200 },
            enableAnonymousAuthentication: false,
            eventTTL: '1h0m0s',
            logging: { verbosity: 2 },
            defaultNotReadyTolerationSeconds: 300,
            defaultUnreachableTolerationSeconds: 300,
          },
          kubeControllerManager: { nodeCIDRMaskSize: 24, nodeMonitorGracePeriod: '40s' },
          kubeScheduler: { profile: 'balanced' },
          kubeProxy: { mode: 'IPTables', enabled: true },
          kubelet: {
            failSwapOn: true,
            kubeReserved: { cpu: '80m', memory: '1Gi', pid: '20k' },
            imageGCHighThresholdPercent: 50,
            imageGCLowThresholdPercent: 40,
            serializeImagePulls: true,
          },
        },
        maintenance: {
          autoUpdate: { kubernetesVersion: true, machineImageVersion: true },
          timeWindow: { begin: expect.any(String), end: expect.any(String) },
        },
        networking: { ...shootOf(server, 'any').spec?.networking, ipFamilies: ['IPv4'] },
        provider: {
          ...shootOf(server, 'any').spec?.provider,
          workers: [
            {
              ...worker(),
              cri: { name: 'containerd' },
              machine: { ...worker().machine, architecture: 'amd64' },
              maxSurge: 1,
              maxUnavailable: 0,
              systemComponents: { allow: true },
              updateStrategy: 'AutoRollingUpdate',
            },
          ],
        },
        schedulerName: 'default-scheduler',
        systemComponents: { coreDNS: { autoscaling: { mode: 'horizontal' } } },
      });
      expect(metadata.labels).toEqual({
        account: 'a',
        'extensions.extensions.gardener.cloud/shoot-oidc-service': 'true',
        'networking.extensions.gardener.cloud/calico': 'true',
        'operatingsystemconfig.extensions.gardener.cloud/gardenlinux': 'true',
        'provider.extensions.gardener.cloud/aws': 'true',
      });
      expect(Object.keys(metadata.annotations ?? {}).sort()).toEqual([
        'gardener.cloud/created-by',
        'shoot.gardener.cloud/tasks',
      ]);
      expect(metadata.generation).toBe(1);
      expect(metadata.finalizers).toBeUndefined();
      expect(status?.lastOperation).toBeUndefined();
    },
  },
  {
    title: 'a name is taken once, and a dry run takes none',
    run: async (server) => {
      const shoot = shootOf(server, uniqueShootName());
      await server.client.create(shoots, shoot, { dryRun: true });
      await server.client.create(shoots, shoot);
      expect(await statusOf(server.client.create(shoots, shoot))).toBe(409);
    },
  },
  {
    title: 'an update needs the current version',
    run: async (server) => {
      const created = await createShoot(server);
      await server.client.mergePatch(shoots, key(created), { metadata: { labels: { other: 'one' } } });
      expect(await statusOf(server.client.update(shoots, created))).toBe(409);
      const { resourceVersion: _, ...metadata } = created.metadata;
      expect(await statusOf(server.client.update(shoots, { ...created, metadata }))).toBe(422);
    },
  },
  {
    title: 'the generation counts changes of the spec, and not of metadata and status',
    run: async (server) => {
      const created = await createdShoot(server);
      const { generation = 0 } = created.metadata;
      const labelled = await server.client.mergePatch(shoots, key(created), {
        metadata: { annotations: { note: 'one' }, labels: { other: 'one' } },
      });
      expect(labelled.metadata.generation).toBe(generation);
      const unchanged = await server.client.update(shoots, labelled);
      expect(unchanged.metadata).toMatchObject({
        generation,
        resourceVersion: labelled.metadata.resourceVersion,
      });
      const grown = await server.client.update(shoots, withWorkers(unchanged, [worker({ maximum: 5 })]));
      expect(grown.metadata.generation).toBe(generation + 1);
    },
  },
  {
    title: 'keys of a provider’s document in another order are a change by a PUT, and none by an apply',
    run: async (server) => {
      const created = await createdShoot(server);
      const { generation = 0, name } = created.metadata;
      const apply = (shoot: Shoot) =>
        server.client.apply(shoots, shoot, { fieldManager: 'kim', force: true });
      const applied = await apply(reordered(shootOf(server, name)));
      expect(applied.metadata.generation).toBe(generation);
      const updated = await server.client.update(shoots, reordered(applied));
      expect(updated.metadata.generation).toBe(generation + 1);
      expect(Object.keys(updated.spec?.provider.infrastructureConfig ?? {})[0]).toBe('networks');
    },
  },
  {
    title: 'the annotation gardener.cloud/operation=reconcile counts as a change and is taken away',
    run: async (server) => {
      const created = await createdShoot(server);
      const asked = await server.client.mergePatch(shoots, key(created), {
        metadata: { annotations: { 'gardener.cloud/operation': 'reconcile' } },
      });
      expect(asked.metadata.generation).toBe((created.metadata.generation ?? 0) + 1);
      expect(asked.metadata.annotations).not.toHaveProperty('gardener.cloud/operation');
    },
  },
  ...(
    [
      ['two workers of one name', { workers: [worker(), worker()] }],
      ['a minimum above the maximum', { workers: [worker({ minimum: 4 })] }],
      [
        'more zones than nodes',
        { workers: [worker({ maximum: 1, zones: ['eu-central-1a', 'eu-central-1b'] })] },
      ],
    ] as const
  ).map(
    ([what, { workers }]): ContractCase => ({
      title: `${what} is invalid`,
      run: async (server) => {
        const shoot = withWorkers(shootOf(server, uniqueShootName()), [...workers]);
        expect(await statusOf(server.client.create(shoots, shoot))).toBe(422);
      },
    }),
  ),
  {
    title: 'the names of project and Shoot have at most 21 characters together',
    run: async (server) => {
      const name = `${uniqueShootName()}aaaaaaaaaaaaaaaaaaaaa`;
      const longest = name.slice(0, 21 - server.project.length);
      const tooLong = name.slice(0, 22 - server.project.length);
      expect(await statusOf(server.client.create(shoots, shootOf(server, tooLong)))).toBe(422);
      expect(await statusOf(server.client.create(shoots, shootOf(server, longest)))).toBeUndefined();
    },
  },
  ...(
    [
      ['the region', { region: 'us-east-1' }],
      [
        'the range of pods',
        { networking: { ...shootOf({ namespace: '' }, '').spec?.networking, pods: '10.64.0.0/13' } },
      ],
      ['the SecretBinding', { secretBindingName: 'gcp-binding' }],
    ] as const
  ).map(
    ([what, change]): ContractCase => ({
      title: `${what} cannot be changed`,
      run: async (server) => {
        const created = await createdShoot(server);
        const wanted = changed(created, (spec) => ({ ...spec, ...change }));
        expect([403, 422]).toContain(await statusOf(server.client.update(shoots, wanted)));
      },
    }),
  ),
  {
    title: 'the range of nodes can be changed',
    run: async (server) => {
      const created = await createdShoot(server);
      const networking = { ...created.spec?.networking, nodes: '10.251.0.0/16' };
      const wanted = changed(created, (spec) => ({ ...spec, networking }));
      expect((await server.client.update(shoots, wanted)).spec?.networking).toEqual(networking);
    },
  },
  {
    title: 'the domain of a Shoot is made when it has a seed, and stays',
    run: async (server) => {
      const created = await createShoot(server);
      expect(created.spec?.dns?.domain).toBeUndefined();
      await server.gardenlet.step(created.metadata.name);
      const bound = await current(server, created);
      const domain = `${created.metadata.name}.${server.project}.shoots.example.org`;
      expect(bound.spec?.dns?.domain).toBe(domain);
      const wanted = changed(bound, (spec) => ({ ...spec, dns: { domain: 'other.example.org' } }));
      expect([403, 422]).toContain(await statusOf(server.client.update(shoots, wanted)));
      // An update without it gets it back or is refused; it is never lost.
      const without = changed(bound, ({ dns: _, ...spec }) => spec);
      await statusOf(server.client.update(shoots, without));
      expect((await current(server, created)).spec?.dns?.domain).toBe(domain);
    },
  },
];
