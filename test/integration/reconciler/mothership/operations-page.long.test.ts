/** The commands of docs/mothership/operations.md, as a user executes them: on an embedded database with clusters of two tenants. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { freePort } from '../../../../hack/control-planes/process/free-port.ts';
import { createPageCommands, type PageCommands } from '../../../docs/page-commands.ts';
import { eventually } from '../../../environment/eventually.ts';
import {
  type ComponentReconciler,
  startComponentReconciler,
} from '../../../environment/mothership/component-reconciler.ts';
import {
  type MothershipProgram,
  startMothershipProgram,
} from '../../../environment/mothership/mothership-program.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import { controlPlanes } from '../../harness/control-planes/control-planes.ts';

jest.setTimeout(180_000);

let page: PageCommands;
let reconciler: ComponentReconciler;
let kubeconfig: string;
let mothership: MothershipProgram;
let isBroken = true;

beforeAll(async () => {
  page = await createPageCommands('docs/mothership/operations.md');
  ({ kubeconfig } = (await controlPlanes()).kyma);
  reconciler = await startComponentReconciler(() =>
    isBroken ? { callbacks: [{ status: 'error', error: 'no NATS' }] } : {},
  );
  mothership = await start();
});
afterAll(async () => {
  await mothership?.stop();
  await reconciler?.close();
  await page?.close();
});

async function start(): Promise<MothershipProgram> {
  const port = await freePort();
  await writeFile(
    join(page.folder, 'reconciler.yaml'),
    `mothership: {scheme: http, host: 127.0.0.1, port: ${port}, scheduler: {reconcilers: {base: {url: '${reconciler.url}'}}}}\n`,
  );
  const started = await startMothershipProgram({
    flags: {
      config: join(page.folder, 'reconciler.yaml'),
      serverPort: port,
      dataDir: join(page.folder, 'data'),
      rolloutMinClusters: 2,
    },
  });
  page.env.RECONCILER_URL = started.url;
  return started;
}

const cluster = (id: string, component: string) => {
  const document = clusterDocument(id, [component], { kubeconfig });
  return { ...document, metadata: { ...document.metadata, globalAccountID: `account of ${id}` } };
};
const register = async (id: string, component: string) =>
  expect(await mothership.call('POST', '/v1/clusters', { body: cluster(id, component) })).toMatchObject({
    status: 200,
  });

test('a version that fails on two clusters is paused; the page finds and resumes it', async () => {
  for (const id of ['a', 'b']) await register(id, 'eventing');
  await eventually(
    async () => {
      const { body } = await mothership.call('GET', '/v1/rollouts');
      expect(body).toEqual(
        expect.arrayContaining([expect.objectContaining({ kind: 'version', name: '2.0.0', paused: true })]),
      );
    },
    { timeoutMs: 90_000 },
  );
  isBroken = false;
  const out = await page.execute('rollouts list', { NAME: '2.0.0' });
  expect(out).toMatch(/^version +2\.0\.0 +paused .* 2\/2 .*[\s\S]*version 2\.0\.0 is resumed/m);
  const { body } = await mothership.call('GET', '/v1/rollouts');
  expect(body).toEqual(
    expect.arrayContaining([expect.objectContaining({ kind: 'version', name: '2.0.0', paused: false })]),
  );
});

test('after a rotation by the page the file has another key alone, and what was encrypted is read', async () => {
  await register('c', 'istio');
  const details = async () => (await mothership.call('GET', '/v1/clusters/c/details')).body;
  expect(await details()).toMatchObject({ cluster: { name: 'name of c' } });
  // The key of an operation in progress would stay.
  await eventually(async () =>
    expect((await mothership.call('GET', '/v1/clusters/c/status')).body).toMatchObject({ status: 'ready' }),
  );
  await mothership.stop();
  const keys = async () =>
    (await readFile(join(page.folder, 'data/encryption.key'), 'utf8')).trim().split('\n');
  const before = await keys();
  expect(await page.execute('rotate-key')).toMatch(/encrypted [1-9]\d* texts/);
  const after = await keys();
  expect([after.length, before.includes(after[0] ?? '')]).toEqual([1, false]);
  mothership = await start();
  expect(await details()).toMatchObject({ cluster: { name: 'name of c' } });
});
