/**
 * One KymaRuntime goes from nothing to a mapped namespace, with Crossplane's own core and functions. The test makes the composite
 * resource and nothing else: no link is made or marked Ready by it.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { shoots } from '../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { ensureProviderKubernetes } from '../../../hack/crossplane/provider-kubernetes.ts';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { type ResourceType, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { campaign } from '../../campaign/campaign.ts';
import { kymaRuntime, readObjects } from '../../compositions/stages.ts';
import { eventually } from '../../environment/eventually.ts';
import { INSTANCE_ID } from '../examples/compositions/database-sources.ts';
import { crossplanePrograms } from '../harness/crossplane/crossplane-process.ts';
import { type BrokenLink, brokenLinks, failFirstShoot } from './broken-links.ts';
import {
  type ChainEnvironment,
  NAMESPACE,
  type Programs,
  startChainEnvironment,
} from './chain-environment.ts';
import { composedTypes, type KymaRuntime, kymaRuntimes } from './kinds.ts';
import { recordStage } from './record-stage.ts';

/** Undefined where neither a cache nor the network has the programs. */
async function findPrograms(): Promise<Programs | undefined> {
  try {
    const functions = (await readObjects('examples/composition/functions.yaml'))
      .map((object) => (object as unknown as { spec: { package: string } }).spec.package)
      .filter((reference) => /go-templating|auto-ready/.test(reference));
    const crossplane = await crossplanePrograms(functions);
    return { crossplane, providerKubernetes: await ensureProviderKubernetes() };
  } catch (error) {
    process.stderr.write(`the chain is left out: ${messageOf(error)}\n`);
    return undefined;
  }
}

/** Each look costs several requests. */
const POLL_MS = 500;

/** Whether every link is broken. The records are made of such a run too. */
const long = campaign({ seed: 0, runs: 1 }).long || process.env.RECORD === '1';

const programs = await findPrograms();
const describeChain = programs === undefined ? describe.skip : describe;

describeChain('from a Runtime to a mapping', () => {
  let environment: ChainEnvironment;
  beforeAll(async () => {
    if (programs !== undefined) environment = await startChainEnvironment(programs);
  }, 300_000);
  afterAll(() => environment?.stop(), 60_000);

  const key = { namespace: NAMESPACE, name: 'shop' };
  const find = () => environment.objects.find(kymaRuntimes, key);
  /** What its user has seen since it was created, each once. */
  const seen: string[] = [];
  async function look(): Promise<KymaRuntime> {
    const composite = await environment.objects.get(kymaRuntimes, key);
    const message = composite.status?.message;
    if (message !== undefined && !seen.includes(message)) seen.push(message);
    return composite;
  }

  /** Names of this run, and their names in the records. */
  const names = () => {
    const { store } = environment.serviceManager;
    const instanceIn = (name: string) => store.instances().find((each) => each.name === name)?.id;
    const all = [
      [instanceIn('kcp-system-shop'), INSTANCE_ID],
      [instanceIn('kcp-system-shop-admin'), 'b6f0c1de-52a4-4f0e-9a55-0c9f6f3a7e21'],
      [store.bindings()[0]?.id, '90c7d2b4-1e8f-4a6b-8d3c-6a5b4f2e1d09'],
    ].filter(([name]) => name !== undefined);
    return Object.fromEntries(all) as Record<string, string>;
  };
  /** Waits until its user sees the reason in the status. */
  const waitsFor = ({ reason, isMet = () => true }: BrokenLink) =>
    eventually(
      async () => {
        const composite = await look();
        expect([await isMet(), composite.status?.message]).toEqual([true, expect.stringMatching(reason)]);
        return composite;
      },
      { timeoutMs: 180_000, intervalMs: POLL_MS },
    );

  test('it waits at each broken link and says on what, and becomes Ready when that is repaired', async () => {
    const links = long ? brokenLinks(environment) : [failFirstShoot(environment)];
    const [asked] = (await readObjects(kymaRuntime.composite)) as [KymaRuntime];
    await environment.objects.apply(kymaRuntimes, asked);
    for (const link of links) {
      const { status } = await waitsFor(link);
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'False' }));
      if (link.stage !== undefined) await recordStage(environment, link.stage, names());
      link.repair();
    }
    const composite = await eventually(
      async () => {
        const now = await look();
        expect(now.status?.conditions).toContainEqual(
          expect.objectContaining({ type: 'Ready', status: 'True' }),
        );
        return now;
      },
      { timeoutMs: 240_000, intervalMs: POLL_MS },
    );
    await recordStage(environment, 'ready', names());
    const [database = ''] = environment.hanaCloud.store.instances();
    expect(composite.status).toMatchObject({
      runtime: 'Ready',
      kyma: 'ready',
      clusterID: 'c-runtime',
      instanceID: database,
      mapping: `${database}/c-runtime/shop`,
    });
    expect(composite.status).not.toHaveProperty('message');
    expect(environment.hanaCloud.store.mappings(database)).toMatchObject([
      { primaryID: 'c-runtime', secondaryID: 'shop' },
    ]);
    expect(environment.gardener.client.peekAll(shoots).map(({ metadata }) => metadata.name)).toEqual([
      'shop',
    ]);
  }, 600_000);

  test('deleted, nothing is left of it', async () => {
    const { objects, gardener, serviceManager, hanaCloud } = environment;
    await objects.delete(kymaRuntimes, key, 'Foreground');
    const left = async () => {
      const types = [...composedTypes, gardenerClusters as ResourceType];
      const found = await Promise.all(
        types.map(async (type) =>
          (await objects.list(type, NAMESPACE)).map(({ metadata }) => `${type.kind} ${metadata.name}`),
        ),
      );
      return found.flat();
    };
    await eventually(async () => expect([await find(), await left()]).toEqual([undefined, []]), {
      timeoutMs: 400_000,
      intervalMs: POLL_MS,
    });
    expect(await objects.find(secrets, { namespace: NAMESPACE, name: 'kubeconfig-shop' })).toBeUndefined();
    expect(gardener.client.peekAll(shoots)).toEqual([]);
    expect([...serviceManager.store.bindings(), ...serviceManager.store.instances()]).toEqual([]);
    expect(hanaCloud.store.instances()).toEqual([]);
    expect([...hanaCloud.violations(), ...serviceManager.violations(), ...gardener.errors]).toEqual([]);
  }, 460_000);
});
