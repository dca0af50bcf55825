/** Operations on a Shoot, by the gardenlet, and deletion. */
import { expect } from '@jest/globals';
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import { noSeedDescription, outcomes } from '../../../simulators/gardener/gardenlet/stages.ts';
import {
  type ContractCase,
  createdShoot,
  createShoot,
  current,
  type GardenerServer,
  statusOf,
  withWorkers,
  worker,
} from '../contract-case.ts';

const operation = async (server: GardenerServer, shoot: Shoot) => {
  const { status, metadata } = await current(server, shoot);
  const { type, state, progress } = status?.lastOperation ?? {};
  return `${type} ${state} ${progress}${status?.observedGeneration === metadata.generation ? '' : ' stale'}`;
};

const confirm = (server: GardenerServer, { metadata: { name } }: Shoot, value = 'true') =>
  server.client.mergePatch(
    shoots,
    { namespace: server.namespace, name },
    { metadata: { annotations: { 'confirmation.gardener.cloud/deletion': value } } },
  );

const remove = ({ client, namespace }: GardenerServer, { metadata: { name } }: Shoot) =>
  client.delete(shoots, { namespace, name });

export const lifeCases: readonly ContractCase[] = [
  {
    title: 'a creation goes from Pending to Succeeded, with addresses and conditions at the end',
    run: async (server) => {
      const shoot = await createShoot(server);
      const seen: string[] = [];
      for (let stage = 0; stage < 3; stage++) {
        await server.gardenlet.step(shoot.metadata.name);
        seen.push(await operation(server, shoot));
      }
      expect(seen).toEqual(['Create Pending 0', 'Create Processing 30', 'Create Succeeded 100']);
      const { metadata, spec, status } = await current(server, shoot);
      expect(metadata.finalizers).toEqual(['gardener']);
      expect(spec?.seedName).toMatch(/^aws-/);
      expect(status).toMatchObject({
        technicalID: `shoot--${server.project}--${shoot.metadata.name}`,
        advertisedAddresses: [{ name: 'external', url: expect.stringMatching(/^https:/) }],
      });
      expect(status?.conditions?.map(({ type, status }) => `${type} ${status}`)).toContain(
        'APIServerAvailable True',
      );
      expect(server.errors).toEqual([]);
    },
  },
  {
    title: 'after a change the status is of the generation before, until the gardenlet begins',
    run: async (server) => {
      const created = await createdShoot(server);
      await server.client.update(shoots, withWorkers(created, [worker({ maximum: 9 })]));
      expect(await operation(server, created)).toBe('Create Succeeded 100 stale');
      await server.gardenlet.step(created.metadata.name);
      expect(await operation(server, created)).toBe('Reconcile Processing 30');
      await server.gardenlet.step(created.metadata.name);
      expect(await operation(server, created)).toBe('Reconcile Succeeded 100');
    },
  },
  {
    title: 'Gardener reconciles a Shoot on its own, without a new generation',
    run: async (server) => {
      const created = await createdShoot(server);
      await server.gardenlet.begin(created.metadata.name);
      expect(await operation(server, created)).toBe('Reconcile Processing 30');
      await server.gardenlet.step(created.metadata.name);
      expect((await current(server, created)).metadata.generation).toBe(created.metadata.generation);
    },
  },
  {
    title: 'a failed operation has codes, and retry begins it again',
    run: async (server) => {
      const shoot = await createShoot(server);
      const { name } = shoot.metadata;
      const codes = ['ERR_INFRA_QUOTA_EXCEEDED'];
      server.gardenlet.rules.add({ on: { shoot: name, first: 1 }, stages: outcomes.failed(...codes) });
      for (let stage = 0; stage < 3; stage++) await server.gardenlet.step(name);
      expect(await operation(server, shoot)).toBe('Create Failed 30');
      expect((await current(server, shoot)).status?.lastErrors).toMatchObject([{ codes }]);
      await server.client.mergePatch(
        shoots,
        { namespace: server.namespace, name },
        { metadata: { annotations: { 'gardener.cloud/operation': 'retry' } } },
      );
      for (let stage = 0; stage < 3; stage++) await server.gardenlet.step(name);
      expect(await operation(server, shoot)).toBe('Create Succeeded 100');
      expect((await current(server, shoot)).status?.lastErrors).toBeUndefined();
    },
  },
  {
    title: 'without a seed that fits, the creation is pending with Gardener’s words',
    run: async (server) => {
      const shoot = await createShoot(server);
      const { name } = shoot.metadata;
      server.gardenlet.rules.add({ on: { shoot: name }, stages: outcomes.noSeed('aws') });
      await server.gardenlet.step(name);
      const { spec, status } = await current(server, shoot);
      expect(spec?.seedName).toBeUndefined();
      expect(status?.lastOperation).toMatchObject({
        state: 'Pending',
        description: noSeedDescription('aws'),
      });
    },
  },
  {
    title: 'a deletion without confirmation is forbidden, and the annotation says who confirmed it',
    run: async (server) => {
      const created = await createdShoot(server);
      expect(await statusOf(remove(server, created))).toBe(403);
      await confirm(server, created, 'anything');
      expect(await statusOf(remove(server, created))).toBe(403);
      const confirmed = await confirm(server, created);
      expect(confirmed.metadata.annotations).toHaveProperty(['deletion.gardener.cloud/confirmed-by']);
      expect(confirmed.metadata.generation).toBe(created.metadata.generation);
    },
  },
  {
    title: 'a deletion is a generation, allows no changes, and ends with the finalizer',
    run: async (server) => {
      const created = await createdShoot(server);
      await confirm(server, created);
      await remove(server, created);
      const deleting = await current(server, created);
      expect(deleting.metadata.deletionTimestamp).toBeDefined();
      expect(deleting.metadata.generation).toBe((created.metadata.generation ?? 0) + 1);
      const change = withWorkers(deleting, [worker({ maximum: 8 })]);
      expect([403, 422]).toContain(await statusOf(server.client.update(shoots, change)));
      const finalizers = { ...deleting, metadata: { ...deleting.metadata, finalizers: [] } };
      expect(await statusOf(server.client.update(shoots, finalizers))).toBe(403);
      await server.gardenlet.step(created.metadata.name);
      expect(await operation(server, created)).toBe('Delete Processing 30');
      await server.gardenlet.step(created.metadata.name);
      expect(await statusOf(current(server, created))).toBe(404);
      expect(server.errors).toEqual([]);
    },
  },
  {
    title: 'a Shoot that no gardenlet has seen is gone at once',
    run: async (server) => {
      const shoot = await createShoot(server);
      await confirm(server, shoot);
      await remove(server, shoot);
      expect(await statusOf(current(server, shoot))).toBe(404);
      expect(await statusOf(remove(server, shoot))).toBe(404);
    },
  },
  {
    title: 'a watch sees each stage of a Shoot in order',
    run: async (server) => {
      const shoot = await createShoot(server);
      const { namespace = '', name, resourceVersion = '' } = shoot.metadata;
      const ending = new AbortController();
      const options = {
        namespace,
        resourceVersion,
        fieldSelector: `metadata.name=${name}`,
        signal: ending.signal,
      };
      const seen: string[] = [];
      const watching = (async () => {
        for await (const { type, object } of server.client.watch(shoots, options)) {
          const state = object.status?.lastOperation?.state;
          if (type === 'MODIFIED' && state !== undefined && seen.at(-1) !== state) seen.push(state);
          if (state === 'Succeeded') return;
        }
      })();
      for (let stage = 0; stage < 3; stage++) await server.gardenlet.step(name);
      await watching;
      ending.abort();
      expect(seen).toEqual(['Pending', 'Processing', 'Succeeded']);
    },
  },
];
