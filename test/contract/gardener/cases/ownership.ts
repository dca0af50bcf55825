/** Server-side apply on a Shoot that was created by POST. */
import { expect } from '@jest/globals';
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import {
  type ContractCase,
  changed,
  createShoot,
  type GardenerServer,
  shootOf,
  withWorkers,
  worker,
} from '../contract-case.ts';

/** Applies as the infrastructure manager does. */
const apply = ({ client }: GardenerServer, shoot: Shoot): Promise<Shoot> =>
  client.apply(shoots, shoot, { fieldManager: 'kim', force: true });

const names = ({ spec }: Shoot) => spec?.provider.workers?.map(({ name }) => name);

export const ownershipCases: readonly ContractCase[] = [
  {
    title: 'an apply of what is there changes no generation',
    run: async (server) => {
      const created = await createShoot(server);
      const applied = await apply(server, shootOf(server, created.metadata.name));
      expect(applied.metadata.generation).toBe(1);
      expect(applied.spec).toEqual(created.spec);
    },
  },
  {
    title:
      'workers are one field for each name: one that is no longer applied stays, since the creator owns it',
    run: async (server) => {
      const created = await createShoot(server);
      const shoot = shootOf(server, created.metadata.name);
      const applied = await apply(server, withWorkers(shoot, [worker({ name: 'other' })]));
      expect(names(applied)?.sort()).toEqual(['cpu-worker-0', 'other']);
      expect(applied.metadata.generation).toBe(2);
    },
  },
  {
    title: 'a worker that only the applier owns goes when it is no longer applied',
    run: async (server) => {
      const created = await createShoot(server);
      const shoot = shootOf(server, created.metadata.name);
      await apply(server, withWorkers(shoot, [worker(), worker({ name: 'other' })]));
      expect(names(await apply(server, shoot))).toEqual(['cpu-worker-0']);
    },
  },
  {
    title: 'a worker is merged by field, and its zones are one field',
    run: async (server) => {
      const created = await createShoot(server);
      const shoot = shootOf(server, created.metadata.name);
      const zones = ['eu-central-1b', 'eu-central-1a'];
      const applied = await apply(server, withWorkers(shoot, [worker({ maximum: 7, zones })]));
      expect(applied.spec?.provider.workers).toEqual([
        { ...created.spec?.provider.workers?.[0], maximum: 7, zones },
      ]);
    },
  },
  {
    title: 'extensions are one field',
    run: async (server) => {
      const created = await createShoot(server);
      const extensions = [{ type: 'shoot-cert-service' }];
      const applied = await apply(server, shootOf(server, created.metadata.name, { extensions }));
      expect(applied.spec?.extensions).toEqual(extensions);
      expect(applied.metadata.labels).toHaveProperty([
        'extensions.extensions.gardener.cloud/shoot-cert-service',
      ]);
    },
  },
  {
    title: 'the configuration of the provider is one field',
    run: async (server) => {
      const created = await createShoot(server);
      const shoot = shootOf(server, created.metadata.name);
      const { apiVersion } = shoot.spec?.provider.infrastructureConfig ?? {};
      const config = { apiVersion, kind: 'InfrastructureConfig', dualStack: { enabled: false } };
      const wanted = changed(shoot, (spec) => ({
        ...spec,
        provider: { ...spec.provider, infrastructureConfig: config },
      }));
      const applied = await apply(server, wanted);
      expect(applied.spec?.provider.infrastructureConfig).toEqual(config);
    },
  },
  {
    title: 'tolerations and DNS of the creator stay when an apply has none',
    run: async (server) => {
      const domain = `${server.project}.example.org`;
      const created = await createShoot(server, {
        tolerations: [{ key: 'ksa-assured-workload' }],
        dns: { domain, providers: [{ type: 'aws-route53', secretName: 'dns', primary: true }] },
      });
      const applied = await apply(server, shootOf(server, created.metadata.name));
      expect(applied.spec).toMatchObject({
        tolerations: [{ key: 'ksa-assured-workload' }],
        dns: { domain, providers: [{ type: 'aws-route53', secretName: 'dns', primary: true }] },
      });
    },
  },
  {
    title: 'annotations are merged by key, and the applier’s go with the apply that lacks them',
    run: async (server) => {
      const created = await createShoot(server, { metadata: { annotations: { first: 'one' } } });
      const { name } = created.metadata;
      const annotated = await apply(
        server,
        shootOf(server, name, { metadata: { annotations: { second: 'two' } } }),
      );
      expect(annotated.metadata.annotations).toMatchObject({ first: 'one', second: 'two' });
      const without = await apply(server, shootOf(server, name));
      expect(without.metadata.annotations).toHaveProperty('first');
      expect(without.metadata.annotations).not.toHaveProperty('second');
    },
  },
  {
    title: 'defaults belong to the creator, and an apply owns what it applies',
    run: async (server) => {
      const created = await createShoot(server);
      const owned = (shoot: Shoot, operation: string) =>
        (shoot.metadata.managedFields ?? []).filter(
          (entry) => (entry as { operation?: string }).operation === operation,
        ) as { manager: string; fieldsV1: { 'f:spec': { 'f:provider': { 'f:workers': object } } } }[];
      const [creator] = owned(created, 'Update');
      expect(creator?.fieldsV1['f:spec']['f:provider']['f:workers']).toMatchObject({
        'k:{"name":"cpu-worker-0"}': { 'f:cri': { 'f:name': {} }, 'f:machine': { 'f:architecture': {} } },
      });
      const applied = await apply(server, shootOf(server, created.metadata.name));
      const [applier] = owned(applied, 'Apply');
      expect(applier?.manager).toBe('kim');
      const workers = applier?.fieldsV1['f:spec']['f:provider']['f:workers'];
      expect(workers).toMatchObject({ 'k:{"name":"cpu-worker-0"}': { 'f:machine': { 'f:type': {} } } });
      expect(workers).not.toMatchObject({ 'k:{"name":"cpu-worker-0"}': { 'f:cri': {} } });
    },
  },
];
