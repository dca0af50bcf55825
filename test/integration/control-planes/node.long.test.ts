/** A real node without Docker (hack/node): a pod runs on it, and nothing of it stays, however it ends. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { apiRequester } from '../../../hack/control-planes/access/api-request.ts';
import { cgroupFolders } from '../../../hack/node/cgroups.ts';
import { type KubernetesNode, startNode } from '../../../hack/node/node.ts';
import { missingPrograms } from '../../../hack/node/programs/ensure-programs.ts';
import { findMachine } from '../../../hack/node/requirements.ts';
import { eventually } from '../../environment/eventually.ts';

/** A node takes half a minute beside other tests. */
jest.setTimeout(300_000);

const RUN = join(import.meta.dirname, '../../../hack/node/run.ts');

const machine = await findMachine();
const programs = await missingPrograms();
const missing =
  'missing' in machine
    ? machine.missing
    : programs.length > 0
      ? `${programs.join(', ')} are in no cache; \`make node\` provides them`
      : undefined;

const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'pause', image: 'node.local/pause:1', resources: { limits: { memory: '16Mi' } } }],
  },
});

type Access = Pick<KubernetesNode, 'request'>;

async function untilRunning({ request }: Access, name: string): Promise<void> {
  await request('/api/v1/namespaces/default/pods', { method: 'POST', body: pod(name) });
  await eventually(async () => {
    const { body } = await request(`/api/v1/namespaces/default/pods/${name}`);
    expect(body).toMatchObject({ status: { phase: 'Running', containerStatuses: [{ ready: true }] } });
  });
}

/** What is there of a node: its folder, processes, mounts and cgroups. */
async function traces(directory: string): Promise<string[]> {
  const found: string[] = [];
  const name = basename(directory);
  const keep = (path: string) =>
    access(path).then(
      () => found.push(path),
      () => undefined,
    );
  for (const path of [directory, ...(await cgroupFolders(`/${name}`))]) await keep(path);
  for (const pid of await readdir('/proc')) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    // The watchdog names the folder until it has removed it.
    if (/^\d+$/.test(pid) && command.includes(name)) found.push(command.replaceAll('\0', ' '));
  }
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  found.push(...mounts.filter((line) => line.includes(name)));
  return found;
}

if (missing !== undefined) {
  test.todo(`no node is started: ${missing}`);
} else {
  describe('a node without Docker', () => {
    let node: KubernetesNode;
    beforeAll(async () => {
      node = await startNode({ name: 'node-test' });
    });
    afterAll(() => node?.stop());

    test('runs a pod, and has its log', async () => {
      await untilRunning(node, 'one');
      const { stdout } = await promisify(execFile)(node.kubectl, [
        `--kubeconfig=${node.kubeconfigPath}`,
        'logs',
        'one',
      ]);
      expect(stdout).toBe('');
    });

    test('whose API server is frozen answers no request until it goes on', async () => {
      const resume = await node.freeze('kube-apiserver');
      await expect(node.request('/readyz', { timeoutMs: 1000 })).rejects.toThrow('no answer');
      await resume();
      expect((await node.request('/readyz')).status).toBe(200);
    });

    test('leaves nothing when it is stopped, with a pod on it', async () => {
      const directory = dirname(dirname(node.directory));
      expect((await traces(directory)).length).toBeGreaterThan(5);
      await node.stop();
      expect(await traces(directory)).toEqual([]);
    });

    test.each(['SIGINT', 'SIGKILL'] as const)(
      'of `make node` leaves nothing after %s, with a pod on it',
      async (signal) => {
        const child = spawn(process.execPath, [RUN], { stdio: ['ignore', 'pipe', 'ignore'] });
        try {
          const lines = createInterface(child.stdout);
          const closed = once(child, 'close').then(() => Promise.reject(new Error('it ended early')));
          const [line] = (await Promise.race([once(lines, 'line'), closed])) as [string];
          closed.catch(() => undefined);
          const [, kubeconfig = ''] = /^export KUBECONFIG=(\S+)$/.exec(line) ?? [];
          await untilRunning({ request: apiRequester(await readFile(kubeconfig, 'utf8')) }, 'one');
          const directory = dirname(dirname(dirname(kubeconfig)));
          const ended = once(child, 'close');
          child.kill(signal);
          expect(await ended).toEqual(signal === 'SIGINT' ? [0, null] : [null, signal]);
          await eventually(async () => expect(await traces(directory)).toEqual([]));
        } finally {
          child.kill('SIGKILL');
        }
      },
    );
  });
}
