import { glob, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createAuthority } from '../../../../hack/control-planes/access/authority.ts';
import type { ControlPlane } from '../../../../hack/control-planes/control-plane.ts';
import { freePort } from '../../../../hack/control-planes/process/free-port.ts';
import { startServerProcess } from '../../../../hack/control-planes/process/server-process.ts';
import { startWatchdog } from '../../../../hack/control-planes/process/watchdog.ts';
import type { ProviderKubernetes } from '../../../../hack/crossplane/provider-kubernetes.ts';
import { systemClock } from '../../../../internal/framework/base/time/clock.ts';
import { installCrds } from '../../../environment/install-crds.ts';
import { writeTlsFolder } from './tls-folder.ts';

/** provider-kubernetes as a process: Objects of the `.m.` group, with watches as the example starts it. */
export async function startProviderKubernetes(
  plane: ControlPlane,
  { program, crds }: ProviderKubernetes,
  kubeconfig = plane.kubeconfig,
): Promise<{ stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'kyma-provider-kubernetes-'));
  const endWatchdog = startWatchdog(directory);
  const kinds: unknown[] = [];
  // The cluster-scoped kinds need a conversion webhook.
  for await (const path of glob('kubernetes.m.*.yaml', { cwd: crds })) {
    kinds.push(parse(await readFile(join(crds, path), 'utf8')));
  }
  await installCrds(plane, kinds);
  const kubeconfigPath = join(directory, 'kubeconfig');
  await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
  const authority = await createAuthority('provider-kubernetes');
  const pair = await authority.issueServer(['127.0.0.1']);
  const tls = await writeTlsFolder(join(directory, 'tls'), authority, pair);
  const [health, webhook] = [await freePort(), await freePort()];
  const server = await startServerProcess({
    name: 'provider-kubernetes',
    command: program,
    args: [
      ...['--debug', '--enable-watches', '--metrics-bind-address=0', `--webhook-port=${webhook}`],
      `--health-probe-bind-addr=127.0.0.1:${health}`,
    ],
    directory,
    env: { HOME: directory, KUBECONFIG: kubeconfigPath, TLS_SERVER_CERTS_DIR: tls },
    clock: systemClock,
    isReady: async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok,
  });
  return {
    stop: async () => {
      await server.stop();
      await endWatchdog();
    },
  };
}
