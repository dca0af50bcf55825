/** The kubeconfig of the source cluster is in a Secret that others write: it may hold anything. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { kymaInstanceMappings } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { freePort } from '../../../../hack/control-planes/process/free-port.ts';
import { events } from '../../../../internal/framework/kube/object/resource-type.ts';
import { editKubeconfig, type KubeconfigEdit } from '../../harness/access/kubeconfigs.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import { forFile } from '../../harness/for-file.ts';
import { expectBlocked, expectRecovered, type Obstacle } from '../../harness/mappings/blocked.ts';
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
