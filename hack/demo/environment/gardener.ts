/** Gardener of the demo, simulated: the cluster of each Shoot is the Kyma cluster of the demo. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shoots } from '../../../apis/gardener/kinds.ts';
import type { Clock } from '../../../internal/framework/base/time/clock.ts';
import { writeConverterFiles } from '../../../test/contract/gardener/rendering/converter-files.ts';
import { serveGardener } from '../../../test/simulators/gardener/server/gardener-server.ts';
import { startSimulatedGardener } from '../../../test/simulators/gardener/simulated-gardener.ts';
import { type ControlPlaneAddress, FILES } from '../../control-planes/access/access.ts';

export interface DemoGardener {
  /** `https://127.0.0.1:port` */
  readonly url: string;
  /** PEM of the authority of the users in kubeconfigs that it grants. */
  readonly clientAuthority: string;
  /** Of the module infrastructure-manager. */
  readonly flags: readonly string[];
  /** The names of its Shoots. */
  shoots(): readonly string[];
  /** Shoots have this cluster from now on. */
  serve(plane: ControlPlaneAddress): Promise<void>;
}

export interface DemoGardenerOptions {
  /** A folder of the demo's own. */
  readonly directory: string;
  readonly stack: AsyncDisposableStack;
  readonly clock: Clock;
}

export async function startGardener({ directory, stack, clock }: DemoGardenerOptions): Promise<DemoGardener> {
  let apiServer = { url: 'https://127.0.0.1:1', ca: '' };
  const gardener = await startSimulatedGardener({ clock, apiServerOf: () => apiServer });
  stack.defer(() => gardener.stop());
  const server = await serveGardener(gardener);
  stack.defer(() => server.stop());
  const folder = join(directory, 'gardener');
  await mkdir(folder);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
  return {
    url: server.url,
    clientAuthority: gardener.authority.certificate,
    flags: [
      `--gardener-kubeconfig-path=${kubeconfig}`,
      `--gardener-project-name=${gardener.project}`,
      `--converter-config-filepath=${await writeConverterFiles(folder, gardener.project)}`,
      '--audit-log-mandatory=false',
    ],
    shoots: () => gardener.client.peekAll(shoots).map(({ metadata }) => metadata.name),
    serve: async ({ server: url, directory: own }) => {
      apiServer = { url, ca: await readFile(join(own, FILES.authority), 'utf8') };
    },
  };
}
