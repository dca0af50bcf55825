/** Clusters whose certificate authority is replaced, and a Kyma cluster that never comes back. */
import { expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { startApiProxy } from '../harness/api-proxy/api-proxy.ts';
import { inFaultEnvironment } from './fault-environment.ts';
import { leaseSharing } from './replicas.ts';

test.concurrent(
  'a Kyma cluster with a new authority is an error that names the certificate, until the kubeconfig has the authority; nothing is changed meanwhile',
  inFaultEnvironment(async (environment) => {
    const kyma = await startApiProxy(environment.planes.kyma.kubeconfig);
    environment.onStop(kyma.close);
    await environment.run();
    const { kubeconfig } = kyma;
    const [ready, waiting] = [
      await environment.scenario({ kubeconfig }),
      await environment.scenario({ kubeconfig }),
    ];
    await ready.createReady();
    await waiting.applySources(['instance', 'binding', 'secret']);
    await waiting.create();
    await waiting.untilReason('Synced', 'Waiting');
    const mark = ready.hana.mark();

    await kyma.rotateAuthority();
    const { status } = await ready.reconcile();
    expect(status?.conditions).toMatchObject([
      { type: 'Synced', status: 'False', message: expect.stringMatching(/certificate/) },
      { type: 'Ready', status: 'True' },
      { type: 'UpToDate', status: 'True' },
    ]);
    expect(ready.hana.calls(mark)).toEqual([]);

    for (const scenario of [ready, waiting]) await scenario.applyKubeconfig({ kubeconfig: kyma.kubeconfig });
    await ready.untilReady();
    await waiting.apply('config');
    await waiting.untilReady();
    expect(ready.hana.writes(mark)).toEqual([]);
  }),
  120_000,
);

test.concurrent(
  'a leader whose own API server has a new authority goes on as the leader if its kubeconfig gets the authority',
  inFaultEnvironment(async (environment) => {
    const { start } = leaseSharing(environment);
    const management = await startApiProxy(environment.account.kubeconfig);
    environment.onStop(management.close);
    const leader = await start([], { kubeconfig: management.kubeconfig });
    const scenario = await environment.scenario();
    await scenario.createReady();

    await management.rotateAuthority();
    await leader.replaceKubeconfig(management.kubeconfig);
    const next = await environment.scenario();
    await next.createReady();
    expect(leader.isRunning()).toBe(true);
    expect(leader.logged('leading')).toHaveLength(1);
  }),
  120_000,
);

test.concurrent(
  'a mapping whose Kyma cluster is gone for good stays Ready; it can be given up, and deleted by an InstanceMapping',
  inFaultEnvironment(async (environment) => {
    const kyma = await startApiProxy(environment.planes.kyma.kubeconfig);
    const provider = await environment.run({ args: ['--poll=1s'] });
    const scenario = await environment.scenario({ kubeconfig: kyma.kubeconfig });
    await scenario.createReady();
    await kyma.close();
    const { message } = await scenario.untilReason('Synced', 'Waiting');
    expect(message).toContain('is unreachable');
    expect(await scenario.condition('Ready')).toMatchObject({ status: 'True' });

    await scenario.delete();
    await eventually(async () =>
      expect((await scenario.condition('Synced'))?.message).toContain('set spec.deletionPolicy to Orphan'),
    );
    expect(scenario.mappings()).toEqual([scenario.hana.mapping()]);
    await scenario.patch({ spec: { deletionPolicy: 'Orphan' } });
    await scenario.untilGone();
    const { instanceID, clusterID: primaryID, namespace: secondaryID } = scenario;
    const raw = environment.instanceMapping({ instanceID, primaryID, secondaryID });
    await raw.createReady();
    await raw.delete();
    await raw.untilGone();
    expect(scenario.mappings()).toEqual([]);
    expect(provider.isRunning()).toBe(true);
  }),
  120_000,
);
