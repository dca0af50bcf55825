/** The kubeconfig of the source cluster is in a Secret that others write: it may hold anything. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { kymaInstanceMappings } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { freePort } from '../../../../hack/control-planes/process/free-port.ts';
import { events } from '../../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../../environment/eventually.ts';
import { editKubeconfig, type KubeconfigEdit } from '../../harness/access/kubeconfigs.ts';
import {
  addRestrictedUser,
  noRights,
  type RestrictedUser,
  watcherRole,
} from '../../harness/access/restricted-user.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import { forFile } from '../../harness/for-file.ts';
import { expectBlocked, expectRecovered, type Obstacle } from '../../harness/mappings/blocked.ts';
import type { Scenario } from '../../harness/mappings/scenario.ts';
import { sourceRequests } from '../../harness/source-requests.ts';
import { startTestEnvironment } from '../../harness/test-environment.ts';

/** Stands in every kubeconfig below, and nowhere else. */
const mark = uniqueName('kubeconfig-content');
/** Made if anything of a kubeconfig is run. */
const trace = join(tmpdir(), mark);

const environment = forFile(startTestEnvironment);

interface Case extends Obstacle {
  readonly title: string;
  /** Absent: there is no Secret. */
  readonly secret?: (good: string) => Record<string, string>;
}

const secret = 'Secret default/<name>';
const lacking = (title: string, message: string): Case => ({ title, reason: 'Waiting', message });
const refused = (title: string, why: string, kubeconfig: (good: string) => string): Case => ({
  title,
  reason: 'ReconcileError',
  message: `cannot use key kubeconfig of ${secret} on management cluster: kubeconfig ${why}`,
  secret: (good) => ({ kubeconfig: kubeconfig(good) }),
});
const edited = (title: string, why: string, edit: KubeconfigEdit): Case =>
  refused(title, why, (good) => editKubeconfig(good, edit));

const token = { token: mark };
const exec = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'touch',
  args: [trace],
  interactiveMode: 'Never',
};

/** One of each class: untrusted-kubeconfig.test.ts beside the code has all that is refused. */
const cases: Case[] = [
  lacking('no Secret', `${secret} with the kubeconfig not found on management cluster`),
  refused('not YAML', 'is not valid YAML', () => `token: [${mark}`),
  edited(
    'a program for credentials',
    'is refused: it runs a program (exec); use a token or a client certificate',
    { credentials: { ...token, exec } },
  ),
];

describe('what cannot or must not be used is reported, and nothing is created until it is fixed', () => {
  test.concurrent.each(cases)('$title', async ({ secret, ...obstacle }) => {
    const kubeconfig = environment.planes.kyma.kubeconfig;
    const scenario = await environment.scenario();
    await scenario.applySources();
    if (secret) await scenario.applyKubeconfig(secret(kubeconfig));
    else await scenario.removeKubeconfig();
    await scenario.create();
    await expectBlocked(environment, scenario, obstacle);

    await scenario.applyKubeconfig({ kubeconfig });
    await expectRecovered(scenario, obstacle);
  });

  test('no program was run', () => expect(existsSync(trace)).toBe(false));

  test('no content of a kubeconfig is in conditions, events, logs or metrics', async () => {
    const { management, provider } = environment;
    const resources = await management.list(kymaInstanceMappings);
    const reported = await management.list(events, 'default');
    const texts = [JSON.stringify([resources, reported]), provider.log(), await provider.get('/metrics')];
    // It is the right key: the same message is there without the content.
    expect(texts[0]).toContain('kubeconfig is refused: it runs a program');
    expect(texts[1]).toContain('kubeconfig is refused: it runs a program');
    for (const text of texts) expect(text).not.toContain(mark);
  });
});

test.concurrent('a missing server is waited for; a corrected kubeconfig is used immediately', async () => {
  const kubeconfig = environment.planes.kyma.kubeconfig;
  const server = `https://127.0.0.1:${await freePort()}`;
  const scenario = await environment.scenario();
  await scenario.applySources();
  await scenario.applyKubeconfig({ kubeconfig: editKubeconfig(kubeconfig, { cluster: { server } }) });
  await scenario.create();
  const host = new URL(server).host;
  const unreachable: Obstacle = {
    reason: 'Waiting',
    message: `cluster ${host} is unreachable: cannot get ServiceInstance <namespace>/hana on cluster ${host}: connect ECONNREFUSED ${host}; its kubeconfig is key kubeconfig of Secret default/<name>`,
  };
  await expectBlocked(environment, scenario, unreachable);

  // By now the next attempt is at least 15 s away.
  await sleep(16_000);
  await scenario.applyKubeconfig({ kubeconfig });
  await scenario.untilReady(10_000);
  await expectRecovered(scenario, unreachable);
});

/**
 * A kubeconfig is replaced while its cluster is in use: by another user, whose permissions the API server
 * distinguishes.
 */

async function twoUsers(scenario: Scenario) {
  const { kyma } = environment.planes;
  const [old, next] = [
    await addRestrictedUser(kyma, scenario.namespace),
    await addRestrictedUser(kyma, scenario.namespace),
  ];
  await old.grant(watcherRole);
  await next.grant(watcherRole);
  await scenario.applyKubeconfig({ kubeconfig: old.kubeconfig });
  const requestsOf = ({ name: user }: RestrictedUser) =>
    sourceRequests(kyma, { user, namespace: scenario.namespace });
  return { old, next, requestsOf };
}

test.concurrent('the new kubeconfig is used at the next reconcile, and the old one never again', async () => {
  const scenario = await environment.scenario();
  const { old, next, requestsOf } = await twoUsers(scenario);
  await scenario.createReady();
  const before = await requestsOf(old);

  await scenario.applyKubeconfig({ kubeconfig: next.kubeconfig });
  await old.grant(noRights);
  const { status } = await scenario.reconcile();

  expect(status?.conditions).toMatchObject([
    { type: 'Synced', status: 'True' },
    { type: 'Ready', status: 'True' },
    { type: 'UpToDate', status: 'True' },
  ]);
  expect(before.gets).not.toEqual([]);
  expect(await requestsOf(old)).toEqual(before);
  expect((await requestsOf(next)).gets).toHaveLength(4);
});

test.concurrent('a mapping that waits goes on waiting with the new kubeconfig', async () => {
  const scenario = await environment.scenario();
  const { old, next, requestsOf } = await twoUsers(scenario);
  await scenario.applySources(['instance', 'binding', 'secret']);
  await scenario.create();
  await eventually(async () => expect(await requestsOf(old)).toMatchObject({ openWatches: 1 }));

  await scenario.applyKubeconfig({ kubeconfig: next.kubeconfig });
  await eventually(async () => expect(await requestsOf(next)).toMatchObject({ openWatches: 1 }));
  await eventually(async () => expect(await requestsOf(old)).toMatchObject({ openWatches: 0 }));
  await old.grant(noRights);
  await scenario.apply('config');
  await scenario.untilReady();
});
