/** Who may connect to the API servers of Runtimes, from a ConfigMap that operators change. */
import { afterEach, expect, test } from '@jest/globals';
import { shoots } from '../../../../apis/gardener/kinds.ts';
import { runtimes } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { type Logger, nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { configMaps } from '../../../framework/kube/index.ts';
import { configurationOf, switchedNothing } from '../rendering/fixtures/rendering.fixture.ts';
import { createShootRendering } from '../rendering/shoot-rendering.ts';
import { NAMESPACE, runtimeOf, SHOOT, worker } from './fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from './fixtures/runtime-harness.fixture.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(() => h?.stop());

const NAME = 'acl';
const content = (operators: string) => ({
  'acl-list.json': operators,
  'kcp-external-nat-ip.json': '"1.1.1.1/32"',
});
const listed = (data: Record<string, string>, name = NAME) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: NAMESPACE, name } },
  data,
});

async function started(data?: Record<string, string>, log = nopLogger): Promise<void> {
  const { kubernetes } = configurationOf().converter;
  const kubeApiServer = { ...switchedNothing.kubeApiServer, acl: { configMapName: NAME } };
  const configuration = configurationOf({ kubernetes: { ...kubernetes, kubeApiServer } });
  h = await startRuntimeHarness(startSimulatedGardener, {
    accessControlEnabled: true,
    auditLogMandatory: false,
    isStopped: true,
    log,
    rendering: createShootRendering(configuration),
  });
  if (data !== undefined) h.client.seed(configMaps, listed(data));
  await h.restart();
}

const withList = (type: 'aws' | 'gcp' = 'aws', allowedCIDRs = ['9.9.9.9/32']) =>
  runtimeOf({
    kubernetes: { kubeAPIServer: { acl: { allowedCIDRs } } },
    provider: { type, workers: [worker()] },
  });
const acl = () => h.shoot()?.spec?.extensions?.find(({ type }) => type === 'acl');
const writes = () =>
  h.gardener.client.requests.filter(({ verb, type }) => verb === 'update' && type.kind === shoots.kind)
    .length;
const change = (data: Record<string, string>, name = NAME) =>
  h.client.otherProgram().mergePatch(configMaps, { namespace: NAMESPACE, name }, { data });

test('[N65] [N68] a changed list reaches each Shoot that has one, once', async () => {
  await started(content('["2.2.2.2/29"]'));
  await h.create(withList());
  await h.wait();
  expect(acl()).toMatchObject({
    disabled: false,
    providerConfig: { rule: { cidrs: ['9.9.9.9/32', '2.2.2.2/29', '1.1.1.1/32'] } },
  });
  const before = writes();
  await change(content('["3.3.3.3/32"]'));
  await h.wait(120_000);
  expect(acl()?.providerConfig).toMatchObject({
    rule: { cidrs: ['9.9.9.9/32', '3.3.3.3/32', '1.1.1.1/32'] },
  });
  expect(writes()).toBe(before + 1);
  await h.wait(600_000);
  expect(writes()).toBe(before + 1);
});

test.each([
  ['on gcp', withList('gcp')],
  ['without ranges', withList('aws', [])],
])('[N65] a Runtime %s has none, and is not touched by a change', async (_, runtime) => {
  await started(content('[]'));
  await h.create(runtime);
  await h.wait();
  expect(acl()).toBeUndefined();
  const before = writes();
  await change(content('["3.3.3.3/32"]'));
  await h.wait(120_000);
  expect(writes()).toBe(before);
});

test('[N67] other ConfigMaps do not matter: nothing is written, and no Runtime is reconciled', async () => {
  let steps = 0;
  const log: Logger = { ...nopLogger, debug: () => void steps++, child: () => log };
  await started(content('[]'), log);
  h.client.seed(configMaps, listed({ a: 'b' }, 'other'));
  await h.create(withList());
  await h.wait();
  const before = [writes(), steps];
  await change({ a: 'c' }, 'other');
  await h.wait(120_000);
  expect([writes(), steps]).toEqual(before);
});

test.each<[string, Record<string, string> | undefined, string]>([
  ['is missing', undefined, 'ConfigMap kcp-system/acl with access control lists is missing'],
  ['has no operators', { 'kcp-external-nat-ip.json': '""' }, 'acl-list.json is missing, or no JSON'],
  ['has operators that are no list', content('{}'), 'acl-list.json is no list of texts'],
  [
    'has no control plane',
    { 'acl-list.json': '[]', 'kcp-external-nat-ip.json': '1.1.1.1/32' },
    'kcp-external-nat-ip.json is missing, or no JSON',
  ],
])(
  'a ConfigMap that %s is named, and a Runtime without a list does not need it',
  async (_, data, message) => {
    await started(data);
    await h.create(withList());
    await h.wait();
    expect(h.shown()).toBe(
      message.startsWith('ConfigMap')
        ? `Failed False ConversionErr Runtime conversion error ${message}`
        : `Failed False ConversionErr Runtime conversion error ConfigMap kcp-system/acl: ${message}`,
    );
    const { spec } = runtimeOf();
    await h.client.otherProgram().mergePatch(
      runtimes,
      { namespace: NAMESPACE, name: 'runtime-1' },
      {
        spec: { shoot: { kubernetes: null, name: spec?.shoot.name ?? SHOOT } },
      },
    );
    await h.wait(300_000);
    expect(h.stored()?.status?.state).toBe('Ready');
  },
);
