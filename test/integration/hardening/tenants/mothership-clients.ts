import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { freePort } from '../../../../hack/control-planes/process/free-port.ts';
import {
  type ServerProcess,
  startServerProcess,
} from '../../../../hack/control-planes/process/server-process.ts';
import { startWatchdog } from '../../../../hack/control-planes/process/watchdog.ts';
import { PROVIDER } from '../../../../hack/demo/provider/provider-command.ts';
import { systemClock } from '../../../../internal/framework/base/time/clock.ts';
import { eventually } from '../../../environment/eventually.ts';
import { startComponentReconciler } from '../../../environment/mothership/component-reconciler.ts';
import { startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { createProcessMeter } from '../../harness/provider/cost-meter.ts';
import type { AttackedSystem } from './attacked-system.ts';
import { limitOf } from './limits.ts';
import { mothershipAttacks } from './mothership-attacks.ts';
import type { TenantEnvironment } from './tenant-environment.ts';

/** Clients of the REST API of a mothership. Undefined where there is no Postgres: an embedded database would be measured. */
export async function mothershipClients({
  defer,
  folder,
  planes,
  hosts,
}: TenantEnvironment): Promise<AttackedSystem | undefined> {
  const databases = await startTestDatabases();
  defer(databases.close);
  const { server } = databases;
  if (server === undefined) return undefined;
  const { kubeconfig } = planes.kyma;
  const reconciler = await startComponentReconciler(({ metadata }) =>
    // Of the hostile tenant all fail.
    metadata.globalAccountID === 'hostile'
      ? { callbacks: [{ status: 'error', error: 'x'.repeat(50_000) }] }
      : {},
  );
  defer(reconciler.close);
  const meter = await createProcessMeter();
  defer(meter.close);
  const directory = join(folder, 'mothership');
  await mkdir(directory);
  defer(startWatchdog(directory));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = join(directory, 'reconciler.yaml');
  await writeFile(
    config,
    `db: {encryption: {keyFile: encryption.key}}
mothership:
  scheme: http
  host: 127.0.0.1
  port: ${port}
  scheduler:
    reconcilers: {base: {url: '${reconciler.url}'}}
`,
  );
  let program: ServerProcess | undefined;
  const { PATH = '', HOME = '' } = process.env;
  /** With an empty database: what the attacks before left is gone. */
  const start = async () => {
    await program?.stop();
    const flags = ['--migrate-database', '--create-encryption-key', '--allow-private-endpoints'];
    program = await startServerProcess({
      name: 'mothership',
      command: PROVIDER,
      args: [
        ...['mothership', 'start', `--config=${config}`, `--server-port=${port}`, ...flags],
        `--database-url=${await server.createDatabase()}`,
      ],
      env: { PATH, HOME, ...meter.env },
      directory,
      clock: systemClock,
      isReady: async () => (await fetch(`${url}/health/ready`)).ok,
    });
  };
  defer(() => program?.stop());
  await start();

  /** Of the run. */
  let { signal } = new AbortController();
  const { attacks, documentOf, nextId } = mothershipAttacks({
    ...{ url, kubeconfig, reconciler },
    silentUrl: () => `https://${hosts.nextSilent()}`,
    signal: () => signal,
  });

  return {
    name: 'clients of a mothership',
    meter,
    memoryLimit: limitOf.mothership,
    prepare: async (account) => ({
      perform: async () => {
        const id = nextId(account);
        const body = JSON.stringify(documentOf(account, id));
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(`${url}/v1/clusters`, { method: 'POST', body, headers });
        expect({ status: response.status, body: await response.text() }).toMatchObject({ status: 200 });
        await eventually(
          async () => {
            const answer = await fetch(`${url}/v1/clusters/${id}/status`);
            expect(await answer.json()).toMatchObject({ status: 'ready' });
          },
          { intervalMs: 100 },
        );
      },
    }),
    attacks: Object.fromEntries(
      Object.entries(attacks).map(([kind, attack]) => [
        kind,
        (variation) => {
          signal = variation.signal;
          return attack();
        },
      ]),
    ),
    clean: start,
    expectAlive: async () => {
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
      const metrics = await (await fetch(`${url}/metrics`)).text();
      // Names of others are no labels.
      expect(metrics.length).toBeLessThan(400_000);
      expect(readFileSync(join(directory, 'mothership.log'), 'utf8')).not.toMatch(/RangeError|TypeError/);
    },
  };
}
