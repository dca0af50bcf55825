/**
 * A Runtime to try (`make runtime`): a control plane, Gardener (simulated) whose Shoots have an API server, and the program with the
 * files of examples/infrastructure-manager. Runs until Ctrl-C; with ONCE=1 until the Runtime is Ready.
 */
import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Runtime, runtimes } from '../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import { sleep, systemClock } from '../../internal/framework/base/time/clock.ts';
import { namespaces } from '../../internal/framework/kube/object/resource-type.ts';
import { openIdConnectCrd } from '../../test/environment/gardener/open-id-connect-crd.ts';
import { infrastructureManagerCrds, installCrds } from '../../test/environment/install-crds.ts';
import { namespaceManifest } from '../../test/environment/manifests.ts';
import { type Objects, objectsOf } from '../../test/environment/objects.ts';
import { serveGardener } from '../../test/simulators/gardener/server/gardener-server.ts';
import { startSimulatedGardener } from '../../test/simulators/gardener/simulated-gardener.ts';
import { FILES } from '../control-planes/access/access.ts';
import { startControlPlane } from '../control-planes/control-plane.ts';
import { makeDirectory } from '../demo/environment/environment.ts';
import { providerEnvironment } from '../demo/provider/provider-command.ts';
import { lastLinesIn, startProvider } from '../demo/provider/provider-process.ts';

const PROJECT = 'kyma';
const NAMESPACE = 'kcp-system';
const EXAMPLES = 'examples/infrastructure-manager';
const READY_TIMEOUT_MS = 120_000;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort());
process.chdir(join(import.meta.dirname, '../..'));

const print = (text: string) => console.log(text);
/** A command of the page that is executed. */
const shown = (...words: readonly string[]) => print(`$ ${words.join(' ')}`);

try {
  await run(stopping.signal);
} catch (error) {
  // Interrupted before it was Ready.
  if (!stopping.signal.aborted) {
    console.error(messageOf(error));
    process.exitCode = 1;
  }
}

async function run(signal: AbortSignal): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const directory = await makeDirectory(stack);
  print('# starting two control planes, and Gardener (simulated)');
  let apiServer = { url: 'https://127.0.0.1:1', ca: '' };
  const gardener = await startSimulatedGardener({
    clock: systemClock,
    project: PROJECT,
    stageMs: 1000,
    apiServerOf: () => apiServer,
  });
  stack.defer(() => gardener.stop());
  const served = await serveGardener(gardener);
  stack.defer(() => served.stop());
  const gardenerKubeconfig = join(directory, 'gardener.kubeconfig');
  await writeFile(gardenerKubeconfig, served.kubeconfig, { mode: 0o600 });

  const report = (line: string) => console.error(`control planes: ${line}`);
  const start = async (name: string, clientAuthorities: readonly string[] = []) => {
    const plane = await startControlPlane({ name, clientAuthorities, report, signal });
    stack.defer(() => plane.stop());
    return plane;
  };
  // One after the other: the first one makes the binaries available.
  const management = await start('management');
  const shoot = await start('shoot', [gardener.authority.certificate]);
  await installCrds(shoot, [openIdConnectCrd]);
  apiServer = { url: shoot.server, ca: await readFile(join(shoot.directory, FILES.authority), 'utf8') };

  const objects = objectsOf(management);
  shown('kubectl create namespace', NAMESPACE);
  await objects.apply(namespaces, namespaceManifest(NAMESPACE));
  shown('kubectl apply --server-side -f package/infrastructure-manager/chart/files/crds');
  await installCrds(management, await infrastructureManagerCrds());

  const args = [
    `--gardener-kubeconfig-path=${gardenerKubeconfig}`,
    `--gardener-project-name=${PROJECT}`,
    `--converter-config-filepath=${EXAMPLES}/converter.yaml`,
  ];
  // The program runs in the folder of its files, and the paths are those of the page.
  await symlink(join(process.cwd(), 'examples'), join(directory, 'examples'));
  shown('bin/provider-kyma start --controllers=infrastructure-manager --allow-private-endpoints', ...args);
  const { NODE_EXTRA_CA_CERTS: _, ...env } = providerEnvironment('', process.env);
  const provider = await startProvider({
    kubeconfigPath: management.kubeconfigPath,
    env,
    modules: ['infrastructure-manager'],
    args,
    directory,
    clock: systemClock,
    signal,
  });
  stack.defer(() => provider.stop());

  shown(`kubectl apply -f ${EXAMPLES}/runtime.yaml`);
  const runtime: Runtime = parse(await readFile(`${EXAMPLES}/runtime.yaml`, 'utf8'));
  await objects.apply(runtimes, runtime);
  await untilReady(objects, runtime.metadata.name, signal).catch((error: unknown) => {
    for (const line of lastLinesIn(directory, 8)) console.error(line);
    throw error;
  });
  print(`\nexport KUBECONFIG=${management.kubeconfigPath}\nexport GARDENER_KUBECONFIG=${gardenerKubeconfig}`);
  if (isOnce(process.env.ONCE)) return;
  print(
    `\n${EXAMPLES}/README.md has commands to look around. The log of the program is ${provider.logFile}. Ctrl-C ends everything.`,
  );
  const staying = setInterval(() => undefined, 60_000);
  if (!signal.aborted) await once(signal, 'abort');
  clearInterval(staying);
}

function isOnce(text = ''): boolean {
  return !['', '0', 'false', 'no'].includes(text.toLowerCase());
}

/** Prints each change of its state, and of the message of its last condition. */
async function untilReady(objects: Objects, name: string, signal: AbortSignal): Promise<void> {
  const began = systemClock.monotonic();
  for (let last = ''; ; ) {
    const { status } = await objects.get(runtimes, { namespace: NAMESPACE, name });
    const condition = status?.conditions?.at(-1);
    const text = `# Runtime ${name}: ${status?.state ?? 'not observed yet'}${condition ? `, ${condition.type}: ${condition.message}` : ''}`;
    if (text !== last) print(text);
    last = text;
    if (status?.state === 'Ready') return;
    if (systemClock.monotonic() - began > READY_TIMEOUT_MS)
      throw new Error(`the Runtime ${name} is not Ready`);
    await sleep(systemClock, 250, signal);
  }
}
