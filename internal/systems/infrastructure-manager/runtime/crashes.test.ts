/**
 * The process ends at each write of the life of a Runtime, before and after the write took effect; in `make test` before and after in
 * turn.
 */

import { expect, test } from '@jest/globals';
import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { campaign } from '../../../../test/campaign/campaign.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import type { MemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import {
  type KubeClient,
  type KubeObject,
  type ResourceType,
  secrets,
  UnreachableError,
} from '../../../framework/kube/index.ts';
import { FIELD_MANAGER } from '../metadata.ts';
import { registryCacheConfigs } from '../registry-cache-config.ts';
import { cacheConfig, installKyma } from '../registrycache/fixtures/registry-module.fixture.ts';
import { clusterRoleBindings, openIdConnectType } from './cluster/access.ts';
import { runtimeOf, worker } from './fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from './fixtures/runtime-harness.fixture.ts';

const { long } = campaign({ seed: 0, runs: 1 });

type Request = MemoryClient['requests'][number];

const isWrite = ({ verb }: Request) => !['get', 'list', 'watch'].includes(verb);

/** Has the effect of the request. */
async function perform(client: KubeClient, { verb, type, key, body, subresource }: Request): Promise<void> {
  const object = body as KubeObject;
  const kind: ResourceType = type;
  // A credential that the process did not receive.
  if (verb === 'create' && subresource !== undefined) return;
  if (verb === 'create') await client.create(kind, object);
  else if (verb === 'update' && subresource === 'status') await client.updateStatus(kind, object);
  else if (verb === 'update') await client.update(kind, object);
  else if (verb === 'apply') await client.apply(kind, object, { fieldManager: FIELD_MANAGER, force: true });
  else if (verb === 'patch' && key) await client.mergePatch(kind, key, body);
  else if (verb === 'delete' && key) await client.delete(kind, key);
  else throw new Error(`no such write: ${verb}`);
}

interface Crash {
  /** The number of the write, from 1. */
  readonly at: number;
  readonly effect: 'before' | 'after';
}

/** Creates, changes and deletes a Runtime; the process ends at the crash. @returns the writes */
async function life(crash?: Crash): Promise<number> {
  const h = await startRuntimeHarness(startSimulatedGardener, {
    hasRegistryCaches: true,
  });
  await installKyma(h.runtime.otherProgram());
  h.runtime.seed(registryCacheConfigs, cacheConfig('one', { upstream: 'docker.io' }));
  let writes = 0;
  let creations = 0;
  let isCrashed = false;
  for (const client of [h.client, h.gardener.client, h.runtime]) {
    client.onRequest(async (request) => {
      const { verb, type, subresource } = request;
      const isCreation = verb === 'create' && type.kind === 'Shoot' && subresource === undefined;
      // The dead process sends nothing more.
      if (isCrashed) throw lost();
      if (!isWrite(request)) return;
      writes++;
      if (writes !== crash?.at) {
        if (isCreation) creations++;
        return;
      }
      isCrashed = true;
      if (crash.effect === 'after') {
        await perform(client.otherProgram(), request);
        if (isCreation) creations++;
      }
      throw lost();
    });
  }
  const settle = async () => {
    await h.wait(200_000);
    if (!isCrashed) return;
    isCrashed = false;
    await h.restart();
    await h.wait(200_000);
  };
  try {
    await h.create(runtimeOf());
    await settle();
    expect(h.shown()).toMatch(/^Ready True /);
    const kubernetes = {
      kubeAPIServer: { additionalOidcConfig: [{ issuerURL: 'https://own.example.org', clientID: 'own' }] },
    };
    await h.patch({
      spec: {
        shoot: { kubernetes, provider: { workers: [worker({ maximum: 5 })] } },
        security: { administrators: ['other@example.org'] },
      },
    });
    await settle();
    expect(h.shown()).toMatch(/^Ready True /);
    expect(h.shoot()?.spec?.provider.workers).toMatchObject([{ maximum: 5 }]);
    expect(h.runtime.peekAll(clusterRoleBindings)).toMatchObject([
      { subjects: [{ name: 'other@example.org' }] },
    ]);
    expect(h.runtime.peekAll(openIdConnectType)).toMatchObject([
      { spec: { issuerURL: 'https://own.example.org' } },
    ]);
    expect(h.shoot()?.spec?.extensions).toContainEqual(
      expect.objectContaining({ type: 'registry-cache', disabled: false }),
    );
    await expectNoFailed(h);
    await h.delete();
    await settle();
    expect([h.stored(), h.shoot(), creations, h.gardener.errors]).toEqual([undefined, undefined, 1, []]);
    expect([h.client.peekAll(gardenerClusters), h.client.peekAll(secrets)]).toEqual([[], []]);
    expect(writes).toBeGreaterThanOrEqual(crash?.at ?? 0);
    return writes;
  } finally {
    await h.stop();
  }
}

const lost = () =>
  new UnreachableError({ verb: 'reach', object: 'the object', clusterName: 'cluster' }, 'connection reset');

const expectNoFailed = async (h: RuntimeHarness<SimulatedGardener>) =>
  expect(h.statuses().filter((status) => status.startsWith('Failed'))).toEqual([]);

test.each(['before', 'after'] as const)(
  'a process that ends at any write, %s it took effect, leaves one Shoot and a Runtime that converges',
  async (effect) => {
    const writes = await life();
    expect(writes).toBeGreaterThan(20);
    const first = long || effect === 'before' ? 1 : 2;
    for (let at = first; at <= writes; at += long ? 1 : 2) await life({ at, effect });
  },
  180_000,
);
