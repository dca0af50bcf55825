/** A landscape whose Shoots were rendered by the rules before 1.41: the upgrade of this program changes none of them. */
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import { type Shoot, shoots } from '../../../apis/gardener/kinds.ts';
import { runtimes } from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { previewPatches } from '../../../internal/systems/infrastructure-manager/diagnosis/preview-patches.ts';
import {
  annotationAppliedFields,
  fieldsOf,
} from '../../../internal/systems/infrastructure-manager/gardener/shoot-fields.ts';
import { annotationRuntimeGeneration } from '../../../internal/systems/infrastructure-manager/metadata.ts';
import { createShootRendering } from '../../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import {
  type RuntimeHarness,
  startRuntimeHarness,
} from '../../../internal/systems/infrastructure-manager/runtime/fixtures/runtime-harness.fixture.ts';
import type { ProviderType } from '../../environment/gardener/catalog.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../simulators/gardener/simulated-gardener.ts';
import { configurationOf } from './rendering/choices.ts';
import { plans, runtimeOfPlan } from './rendering/plans.ts';

interface Former {
  readonly type: ProviderType;
  readonly plan: string;
  readonly shoot: Shoot;
}

/** As the Go program of June 2025 has created them: each plan with one provider, and each provider with two plans. */
const former: readonly Former[] = JSON.parse(
  readFileSync(new URL('./rendering/goldens/former-shoots.results.json', import.meta.url), 'utf8'),
);

let h: RuntimeHarness<SimulatedGardener>;
let end: () => Promise<void> = async () => undefined;
afterEach(async () => {
  await end();
  await h?.stop();
});

const nameAt = (index: number) => `former-${index}`;

/** With the record of the last rendering, as this program of that time wrote it. */
function withRecord(shoot: Shoot): Shoot {
  const { dns: _, tolerations: __, ...spec } = shoot.spec ?? { provider: { type: '' }, kubernetes: {} };
  const { annotations = {}, labels } = shoot.metadata;
  const { [annotationRuntimeGeneration]: generation, ...own } = annotations;
  const fields = fieldsOf({ metadata: { labels, annotations: own }, spec });
  const record = JSON.stringify({ generation, ...(typeof fields === 'string' ? {} : fields) });
  return {
    ...shoot,
    metadata: { ...shoot.metadata, annotations: { ...annotations, [annotationAppliedFields]: record } },
  };
}

/** Gardener has these Shoots, and their Runtimes are Ready; no process of this program runs. */
async function landscape(prepare: (shoot: Shoot) => Shoot, upgradeShoots = false): Promise<void> {
  h = await startRuntimeHarness(startSimulatedGardener, {
    isStopped: true,
    upgradeShoots,
    auditLogMandatory: false,
    rendering: createShootRendering(configurationOf('kyma')),
  });
  for (const [index, { type, plan, shoot }] of former.entries()) {
    const name = nameAt(index);
    const found = plans.find(({ title }) => title === plan);
    if (found === undefined) throw new Error(`there is no plan ${plan}`);
    const runtime = runtimeOfPlan(type, name, 3, found);
    const renamed: Shoot = JSON.parse(JSON.stringify(shoot).replaceAll('golden', name));
    const metadata = { ...renamed.metadata, namespace: h.gardener.namespace };
    await h.gardener.client.otherProgram().create(shoots, prepare({ ...renamed, metadata }));
    h.client.seed(runtimes, {
      ...runtime,
      status: {
        state: 'Ready',
        provisioningCompleted: true,
        conditions: [
          {
            ...{ type: 'Provisioned', status: 'True', reason: 'ConfigurationCompleted', message: '' },
            lastTransitionTime: '2025-06-11T00:00:00Z',
          },
        ],
      },
    });
  }
  await h.wait(60_000);
  end = await h.startProcess({});
}

const written = () =>
  h.gardener.client.requests.flatMap(({ verb, type, subresource, key }) =>
    type.kind === shoots.kind && subresource === undefined && !['get', 'list', 'watch'].includes(verb)
      ? [`${verb} ${key?.name}`]
      : [],
  );
const isReady = (index: number) =>
  h.client.peek(runtimes, { namespace: 'kcp-system', name: nameAt(index) })?.status?.state === 'Ready';
const shootAt = (index: number) =>
  h.gardener.client.peek(shoots, { namespace: h.gardener.namespace, name: nameAt(index) });

test.each([
  ['the Go program', (shoot: Shoot) => shoot],
  ['this program', withRecord],
])('no Shoot of %s is changed by the upgrade, but by the next change of its Runtime', async (_, prepare) => {
  await landscape(prepare);
  await h.wait(3_600_000);
  expect(written()).toEqual([]);
  expect(former.map((_each, index) => isReady(index))).toEqual(former.map(() => true));
  const users = h.client.otherProgram();
  const key = { namespace: 'kcp-system', name: nameAt(0) };
  await users.mergePatch(runtimes, key, { spec: { shoot: { purpose: 'testing' } } });
  await h.wait(120_000);
  expect(written()).toEqual([`update ${nameAt(0)}`]);
  expect(shootAt(0)?.spec).toMatchObject({
    purpose: 'testing',
    cloudProfile: { kind: 'CloudProfile', name: 'aws' },
    kubernetes: { kubeAPIServer: { structuredAuthentication: { configMapName: expect.anything() } } },
    provider: { workers: [{ machineControllerManager: { maxEvictRetries: 2 } }] },
  });
  expect(shootAt(0)?.spec?.kubernetes.kubeAPIServer).not.toHaveProperty('oidcConfig');
});

test('a dry run says for each Runtime what its next patch would change', async () => {
  await landscape(withRecord);
  const { checks } = await previewPatches({
    ...{
      client: h.client,
      gardener: h.gardener.client,
      project: h.gardener.project,
      namespace: 'kcp-system',
    },
    ...{ accessControlEnabled: false, signal: new AbortController().signal },
    rendering: createShootRendering(configurationOf('kyma')),
  });
  expect(checks.map(({ name }) => name).toSorted()).toEqual(
    former.map((_, index) => nameAt(index)).toSorted(),
  );
  for (const { name, status, detail } of checks) {
    expect(status).toBe('warning');
    expect(detail).toMatch(/^its next patch changes .*spec\.cloudProfile/);
    const isStructured = former[Number(name.split('-')[1])]?.plan === 'with Kubernetes 1.32';
    expect(detail.includes('spec.kubernetes.kubeAPIServer.structuredAuthentication')).toBe(!isStructured);
    expect(detail).not.toContain('spec.purpose');
  }
  expect(written()).toEqual([]);
});

test('with the flag all Shoots are patched once', async () => {
  await landscape(withRecord, true);
  await h.wait(3_600_000);
  expect(written().toSorted()).toEqual(former.map((_, index) => `update ${nameAt(index)}`).toSorted());
});

test('what others change in such a Shoot is put right, and nothing else of it is changed', async () => {
  await landscape(withRecord);
  await h.wait(60_000);
  const before = shootAt(0);
  const key = { namespace: h.gardener.namespace, name: nameAt(0) };
  await h.gardener.client.otherProgram().mergePatch(shoots, key, { spec: { purpose: 'evaluation' } });
  await h.wait(120_000);
  expect(written()).toEqual([`update ${nameAt(0)}`]);
  expect(shootAt(0)?.spec).toEqual(before?.spec);
  expect(shootAt(0)?.metadata.annotations).toEqual(before?.metadata.annotations);
});
