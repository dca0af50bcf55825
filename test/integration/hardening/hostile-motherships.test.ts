/**
 * KymaClusters of hostile namespaces, whose motherships never answer, or answer without an end, slowly, with as much as they may, or with
 * what is no answer: the event loop goes on, the memory stays within the limit of the chart, and KymaClusters of other namespaces are
 * Ready in their usual time. `make test-faults` has more of them.
 */
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import '../harness/timeout.ts';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import {
  type KymaCluster,
  kymaCluster,
  kymaClusterTypes,
} from '../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import {
  namespacedProviderConfigs,
  providerConfig,
} from '../../../apis/reconciler.kyma-project.io/v1alpha1/providerconfigs.gen.ts';
import type { Secret } from '../../../internal/framework/kube/object/object.ts';
import { namespaces, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { getCondition } from '../../../internal/framework/managed/index.ts';
import { campaign } from '../../campaign/campaign.ts';
import { eventually } from '../../environment/eventually.ts';
import { installCrds, reconcilerCrds } from '../../environment/install-crds.ts';
import { type FaultEnvironment, inFaultEnvironment } from '../faults/fault-environment.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { environmentLabel } from '../harness/mappings/mapping-context.ts';
import { createCostMeter } from '../harness/provider/cost-meter.ts';
import { honestMothership } from './tenants/honest-mothership.ts';
import { behaviours } from './tenants/hostile-hosts.ts';

const { long } = campaign({ seed: 1, runs: 1 });
/** More than the workers of a controller. */
const CLUSTERS = long ? 520 : 260;
const HOSTILE_NAMESPACES = 2;

async function serve(environment: FaultEnvironment, listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    // These tests let clients disconnect in the middle of a response.
    response.on('error', () => undefined);
    listener(request, response);
  });
  const { url, close } = await listenOnLoopback(server);
  environment.onStop(close);
  return url;
}

/** Answers of the limit of a mothership, which is more than that of an API server. */
const response = { cluster: 'r', clusterVersion: 1, configurationVersion: 1, status: 'error', statusURL: '' };
const textOf = (body: unknown) => (_: IncomingMessage, answer: ServerResponse) =>
  void answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const MOTHERSHIPS: Readonly<Record<string, RequestListener>> = {
  ...behaviours,
  'has as many failures as fit': textOf({
    ...response,
    failures: Array.from({ length: 10_000 }, (_, n) => ({ component: `c${n}`, reason: 'x'.repeat(40) })),
  }),
  'has as many values as a mothership may send': textOf({
    ...response,
    failures: [],
    x: Array(60_000).fill({}),
  }),
};

async function prepare({ management }: FaultEnvironment, namespace: string): Promise<void> {
  await management.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await management.apply<Secret>(secrets, {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'kubeconfig', namespace } },
    data: { config: Buffer.from('kubeconfig: 1').toString('base64') },
  });
}

const configured = ({ management }: FaultEnvironment, namespace: string, name: string, url: string) =>
  management.apply(
    namespacedProviderConfigs,
    providerConfig({ name, namespace, spec: { url, credentials: { source: 'None' } } }),
  );

function clusterOf({ selector }: FaultEnvironment, namespace: string, name: string, config: string) {
  const [, id = ''] = selector.split('=');
  return kymaCluster({
    ...{ name, namespace, labels: { [environmentLabel]: id } },
    spec: {
      providerConfigRef: { kind: 'ProviderConfig', name: config },
      forProvider: { version: '2.20.0', kubeconfigSecretRef: { name: 'kubeconfig' } },
    },
  });
}

test(
  'motherships of hostile namespaces delay neither the event loop nor KymaClusters of others',
  inFaultEnvironment(async (environment) => {
    const { management, planes } = environment;
    await installCrds(planes.management, await reconcilerCrds());
    const honest = uniqueName('honest');
    await prepare(environment, honest);
    await configured(environment, honest, 'default', await serve(environment, honestMothership()));
    const type = kymaClusterTypes.namespaced;
    const meter = await createCostMeter({
      long,
      bystander: async () => {
        const key = { namespace: honest, name: uniqueName('shop') };
        await management.apply<KymaCluster>(type, clusterOf(environment, honest, key.name, 'default'));
        return {
          untilReady: () =>
            eventually(async () => {
              const found = await management.get<KymaCluster>(type, key);
              expect(getCondition(found, 'Ready')?.status).toBe('True');
            }),
          remove: () => management.delete(type, key),
        };
      },
    });
    environment.onStop(meter.close);
    const provider = await environment.run({
      args: ['--controllers=reconciler'],
      env: meter.env,
      kubeconfig: planes.management.kubeconfig,
    });
    await meter.calibrate(async () => undefined);

    const since = Date.now();
    const asked = new Set<string>();
    const kinds = Object.entries(MOTHERSHIPS);
    for (let n = 0; n < HOSTILE_NAMESPACES; n++) {
      const namespace = uniqueName('hostile');
      await prepare(environment, namespace);
      for (const [index, [kind, listener]] of kinds.entries()) {
        const url = await serve(environment, (request, answer) => {
          asked.add(kind);
          listener(request, answer);
        });
        await configured(environment, namespace, `m${index}`, url);
      }
      const names = Array.from({ length: CLUSTERS / HOSTILE_NAMESPACES }, (_, number) => number);
      await Promise.all(
        names.map((number) =>
          management.apply<KymaCluster>(
            type,
            clusterOf(environment, namespace, `k${number}`, `m${number % kinds.length}`),
          ),
        ),
      );
    }
    await eventually(() => expect([...asked].sort()).toEqual(kinds.map(([kind]) => kind).sort()));
    for (let n = 0; n < (long ? 20 : 2); n++)
      await meter.expectUsual('beside hostile motherships', async () => undefined);
    await meter.expectMemoryBounded(since);

    expect((await provider.get('/healthz')).status).toBe(200);
    const { body } = await provider.get('/metrics');
    const series = body.split('\n').filter((line) => line.startsWith('provider_kyma_external_calls_total'));
    expect(series.length).toBeLessThan(150);
  }),
  long ? 3_600_000 : 300_000,
);
