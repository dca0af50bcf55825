/**
 * Thirty days of kubeconfigs, with Gardener that is away for hours, refuses with 429, clusters that do not accept kubeconfigs,
 * restarts, and two processes at a time: whenever a Secret is read it has a kubeconfig that is valid, and none is replaced early.
 * `make test-faults` has more of them.
 */
import { expect, test } from '@jest/globals';
import { shoots } from '../../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { campaign } from '../../../../test/campaign/campaign.ts';
import { createDeps } from '../../../framework/base/deps.ts';
import { nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { formatTimestamp } from '../../../framework/base/time/formats.ts';
import { createInformers } from '../../../framework/kube/cache/informers.ts';
import { apiError, createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import { createCluster, namespaces, type Secret, secrets } from '../../../framework/kube/index.ts';
import { createFakeRecorder, gatedKind } from '../../../framework/managed/fakes/index.ts';
import { gardenerClusterKind } from './kind.ts';
import { annotationForceRotation } from './metadata.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LIFE = DAY;
/** 95 % of the rotation period. */
const DUE = 13 * HOUR + 40 * MINUTE + 48_000;
const COUNT = campaign({ seed: 0, runs: 1 }).long ? 200 : 4;
const NAMESPACE = 'kcp-system';
const PROJECT = 'kyma';
const names = Array.from({ length: COUNT }, (_, index) => `runtime-${index}`);

const at = <T>(day: number, hour: number, hours: number, fault: T) => ({
  from: day * DAY + hour * HOUR,
  until: day * DAY + (hour + hours) * HOUR,
  fault,
});
const faults = [
  at(3, 2, 8, 'down'),
  at(7, 0, 6, 'throttled'),
  at(12, 13, 9, 'down'),
  at(18, 0, 3, 'throttled'),
  at(21, 5, 9, 'refused'),
  at(26, 1, 4, 'down'),
];
const restarts = [2, 3.3, 7.1, 9, 12.7, 15, 18.05, 21.4, 24, 27].map((day) => day * DAY);
const leaderChanges = [5, 14.5, 20, 28.2].map((day) => day * DAY);
const forced = [4, 11, 19, 25].map((day) => day * DAY);

test('thirty days of kubeconfigs', async () => {
  const clock = createFakeClock();
  const begin = clock.now();
  const elapsed = () => clock.now() - begin;
  const isNow = (fault: string) =>
    faults.some((each) => each.fault === fault && elapsed() >= each.from && elapsed() < each.until);
  const client = createMemoryClient({ clock });
  const garden = createMemoryClient({ clock });
  const runtime = createMemoryClient({ clock });
  runtime.seed(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } });
  for (const name of names) {
    const { apiVersion, kind } = shoots;
    garden.seed(shoots, { apiVersion, kind, metadata: { namespace: `garden-${PROJECT}`, name } } as never);
    client.seed(gardenerClusters, {
      ...{ apiVersion: gardenerClusters.apiVersion, kind: gardenerClusters.kind },
      metadata: { namespace: NAMESPACE, name },
      spec: {
        shoot: { name },
        kubeconfig: { secret: { namespace: NAMESPACE, name: `kubeconfig-${name}`, key: 'config' } },
      },
    });
  }
  let issued = 0;
  garden.onSubresource(shoots, 'adminkubeconfig', (key, _body, refuse) => {
    if (isNow('down')) refuse(503, 'ServiceUnavailable', 'down');
    if (isNow('throttled') && issued++ % 3 > 0) refuse(429, 'TooManyRequests', 'later');
    const until = formatTimestamp(clock.now() + LIFE);
    // The token says what the test needs to know.
    const text = `apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: 'https://${key.name}.example.org'}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: '${clock.now()}'}}]\n`;
    return {
      metadata: { name: key.name },
      status: { kubeconfig: Buffer.from(text).toString('base64'), expirationTimestamp: until },
    };
  });
  runtime.onRequest(() => {
    if (isNow('refused')) throw apiError(401, 'Unauthorized');
  });
  const startProcess = () => {
    const deps = createDeps({ clock, log: nopLogger });
    const cluster = createCluster({ ...deps, name: 'gardener', required: false, client: garden });
    const kind = gardenerClusterKind({
      gardener: { cluster, client: garden, project: PROJECT },
      rotation: { expirationMs: LIFE, minimalRotation: 0.6 },
      connect: (_config, settings) => createCluster({ ...deps, ...settings, client: runtime }),
      clusters: { learn: () => undefined },
      ...{ metrics: deps.metrics, client, workers: 25, externalTimeoutMs: MINUTE },
    });
    const informers = createInformers({ ...deps, client });
    const recorder = createFakeRecorder();
    const run = gatedKind(kind, { ...deps, client, informers, recorderFor: () => recorder }).build();
    const end = run.start();
    run.controller.watch();
    run.controller.work();
    return async () => {
      await run.controller.stop();
      end();
      await cluster.close();
    };
  };

  const issuedAt = ({ data }: Secret): number =>
    Number(/token: '(\d+)'/.exec(Buffer.from(data?.config ?? '', 'base64').toString())?.[1]);
  const known = new Map<string, number>();
  const replacedEarly: string[] = [];
  let rotations = 0;
  let isForced = false;
  client.onRequest(({ verb, type, body }) => {
    if (type.kind !== 'Secret' || !['create', 'update'].includes(verb)) return;
    const secret = body as Secret;
    const { name } = secret.metadata;
    const before = known.get(name);
    const now = issuedAt(secret);
    if (before !== undefined && now - before < DUE && !isForced)
      replacedEarly.push(`${name} after ${(now - before) / HOUR} h`);
  });
  const check = () => {
    const stored = client.peekAll(secrets);
    expect(stored).toHaveLength(COUNT);
    for (const secret of stored) {
      const time = issuedAt(secret);
      if (!(clock.now() < time + LIFE))
        throw new Error(`${secret.metadata.name} expired on day ${elapsed() / DAY}`);
      if (known.get(secret.metadata.name) !== time) rotations++;
      known.set(secret.metadata.name, time);
    }
  };
  const isPast = (times: readonly number[], stepMs: number) =>
    times.some((time) => elapsed() >= time && elapsed() < time + stepMs);

  let stop = startProcess();
  await clock.advance(MINUTE);
  const STEP = 10 * MINUTE;
  while (elapsed() < 30 * DAY) {
    if (isPast(restarts, STEP)) {
      await stop();
      await clock.advance(MINUTE);
      stop = startProcess();
    }
    if (isPast(leaderChanges, STEP)) {
      const stopOld = stop;
      stop = startProcess();
      await clock.advance(MINUTE);
      await stopOld();
    }
    isForced = isPast(forced, STEP);
    if (isForced)
      for (const name of names.slice(0, (COUNT * 2) / 3))
        await client
          .otherProgram()
          .mergePatch(
            gardenerClusters,
            { namespace: NAMESPACE, name },
            { metadata: { annotations: { [annotationForceRotation]: '' } } },
          );
    await clock.advance(STEP);
    check();
  }
  await stop();
  expect(replacedEarly).toEqual([]);
  // 30 days have 52 rotation periods of each; each fault delays some.
  expect(rotations).toBeGreaterThan(COUNT * 45);
}, 300_000);
