/**
 * The part of the end-to-end test that needs no pods (test/e2e), with the same steps: two control planes in place of
 * kind, the CRDs of the built package in place of Crossplane's installation, and the bundles of provider and simulator
 * as processes in place of pods.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import {
  type ServerProcess,
  startServerProcess,
} from '../../../hack/control-planes/process/server-process.ts';
import { startWatchdog } from '../../../hack/control-planes/process/watchdog.ts';
import { providerEnvironment } from '../../../hack/demo/provider/provider-command.ts';
import { type ProviderProcess, startProvider } from '../../../hack/demo/provider/provider-process.ts';
import { parseDocuments } from '../../../hack/xpkg/kubernetes-documents.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { clusterOf, type E2eContext } from '../../e2e/e2e-context.ts';
import { runSteps } from '../../e2e/run-steps.ts';
import { mappingSteps } from '../../e2e/steps/mapping-steps.ts';
import { type Crd, installCrds } from '../../environment/install-crds.ts';
import { call } from '../../simulators/base/http/https-call.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MINUTES = 60_000;

describe('the end-to-end steps that need no pods', () => {
  let directory: string;
  let endWatchdog: () => Promise<void>;
  const planes: ControlPlane[] = [];
  let simulator: ServerProcess;
  let provider: ProviderProcess;
  let context: E2eContext;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kyma-e2e-'));
    endWatchdog = startWatchdog(directory);
    const start = async (name: string) => {
      const plane = await startControlPlane({ name });
      planes.push(plane);
      return plane;
    };
    const [management, kyma] = await Promise.all([start('e2e-management'), start('e2e-kyma')]);

    execFileSync(process.execPath, ['hack/xpkg/main.ts', '--output', directory], { cwd: ROOT });
    const packageYaml = join(directory, 'package.yaml');
    const documents = parseDocuments(packageYaml, await readFile(packageYaml, 'utf8'));
    const crds = documents.filter(({ kind }) => kind === 'CustomResourceDefinition');
    await installCrds(
      management,
      crds.map(({ content }) => content as Crd),
    );

    const bundle = ['test/e2e/simulator/main.ts', join(directory, 'app')];
    const bundled = execFileSync(process.execPath, bundle, { cwd: ROOT, encoding: 'utf8' });
    const caFile = join(directory, 'ca.pem');
    const log = join(directory, 'simulator.log');
    const apiUrl = async () => /^#\s+API\s+(\S+)$/m.exec(await readFile(log, 'utf8'))?.[1];
    simulator = await startServerProcess({
      name: 'simulator',
      command: process.execPath,
      // As test/e2e/manifests/simulator.yaml has it, but on loopback.
      args: [bundled.trim(), '--instance=i-e2e', `--ca-out=${caFile}`],
      directory,
      clock: systemClock,
      isReady: async () => (await apiUrl()) !== undefined,
    });
    const url = await apiUrl();
    const ca = await readFile(caFile, 'utf8');
    const kubeconfigPath = join(directory, 'kubeconfig');
    await writeFile(kubeconfigPath, management.kubeconfig, { mode: 0o600 });
    provider = await startProvider({
      kubeconfigPath,
      env: { ...providerEnvironment(caFile, process.env), PROVIDER_KYMA_POLL: '1s' },
      directory,
      clock: systemClock,
      signal: new AbortController().signal,
    });
    context = {
      management: clusterOf('management', management.request),
      kyma: clusterOf('kyma', kyma.request),
      kymaAddress: { server: kyma.server, ca: await readFile(join(kyma.directory, 'ca.crt'), 'utf8') },
      simulator: async (path, method = 'GET') => {
        const { status, body } = await call(`${url}/_simulator${path}`, ca, { method });
        if (status !== 200)
          throw new Error(`the simulator answers ${method} ${path} with ${status}: ${body}`);
        return JSON.parse(body);
      },
      packageYaml,
    };
  }, 10 * MINUTES);

  afterAll(async () => {
    await provider?.stop();
    await simulator?.stop();
    for (const plane of planes) await plane.stop();
    await endWatchdog?.();
  }, MINUTES);

  test(
    'hold one after the other',
    async () => {
      const lines: string[] = [];
      await runSteps(mappingSteps, context, (line) => lines.push(line));
      expect(lines).toEqual(mappingSteps.map(({ title }) => expect.stringContaining(`ok      ${title}`)));
    },
    20 * MINUTES,
  );
});
