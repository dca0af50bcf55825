/** `provider-kyma-kit dev`: the provider at work on this machine, and again after each change. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch, writeFile } from 'node:fs/promises';
import { normalize } from 'node:path';
import { startRestSimulator } from '../../../internal/framework/rest/fakes/rest-simulator.ts';
import { generateCommand } from '../generate/generate.ts';
import { authenticationOf } from '../generate/kinds-module.ts';
import { type AuthorProject, PROVIDER_FILE, readProject } from '../generate/read-project.ts';
import { type KitCommand, readArgs, reportOf } from '../kit-command.ts';
import { startControlPlane } from '../testing/control-plane.ts';

const usage = `Usage: provider-kyma-kit dev

Starts a real API server, a simulator of the API and the provider, until Ctrl-C; generates, installs the CRDs and starts the provider
again after each change of ${PROVIDER_FILE}, the document or the code. Prints how to reach them, and writes dev.env.yaml with a
ProviderConfig and its Secret for the namespace default.`;

const MANIFESTS = 'dev.env.yaml';
/** Editors write a file in several steps. */
const SETTLED_MS = 100;
/** Enough for a look at it: with the default of `pollSeconds` some 15 seconds. */
const PENDING_READS = 3;

export const devCommand: KitCommand = {
  usage,
  run: async (args) => {
    readArgs(usage, { args });
    const stopping = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
    await using stack = new AsyncDisposableStack();
    const report = (line: string) => console.error(line);

    await generateCommand.run([]);
    let project = await readProject(process.cwd());
    const simulator = await startRestSimulator(...simulated(project));
    simulator.pendingReads = PENDING_READS;
    stack.defer(() => simulator.close());
    const plane = await startControlPlane({ crds: ['package/crds'], report, signal: stopping.signal });
    stack.defer(() => plane.stop());
    await writeFile(MANIFESTS, manifests(project.file, simulator));
    console.log(`export KUBECONFIG=${plane.kubeconfigPath}`);
    console.log(`kubectl apply -f ${MANIFESTS}   # the simulator of the API: ${simulator.url}`);

    let program: ChildProcess | undefined;
    const stop = async () => {
      if (program === undefined || program.exitCode !== null || program.signalCode !== null) return;
      program.kill('SIGTERM');
      await once(program, 'exit');
    };
    stack.defer(stop);
    const start = async () => {
      await stop();
      const env = {
        KUBECONFIG: plane.kubeconfigPath,
        ALLOW_PRIVATE_ENDPOINTS: 'true',
        METRICS_BIND_ADDRESS: '0',
      };
      program = spawn(process.execPath, ['main.ts'], {
        env: { ...process.env, HEALTH_PROBE_BIND_ADDRESS: '0', ...env },
        stdio: 'inherit',
      });
    };
    await start();
    for await (const name of changes(() => project.file.openapi.file, stopping.signal)) {
      const startedAt = performance.now();
      try {
        await generateCommand.run([]);
        project = await readProject(process.cwd());
        simulator.serve(...simulated(project));
        await writeFile(MANIFESTS, manifests(project.file, simulator));
        await plane.installCrds('package/crds');
        await start();
        report(`${name} changed: started again after ${Math.round(performance.now() - startedAt)} ms`);
      } catch (error) {
        // The program of before goes on until the mistake is corrected.
        report(reportOf(error));
      }
    }
    return true;
  },
};

const simulated = ({ kinds, file, document }: AuthorProject) =>
  [
    kinds.map(({ kind, definition, sample }) => ({ name: kind, definition, sample })),
    authenticationOf(file.api.authentication ?? document.authentication ?? 'none'),
  ] as const;

/** Names of files that the provider is made of, each time one has changed; ends with the signal. Manifests of the author are none. */
async function* changes(documentFile: () => string, signal: AbortSignal): AsyncGenerator<string> {
  const isOwn = (name: string) =>
    name === PROVIDER_FILE ||
    name === normalize(documentFile()) ||
    (name.endsWith('.ts') && !/\.gen\.|\.test\./.test(name));
  const changed = new Set<string>();
  let wake = Promise.withResolvers<void>();
  const watching = (async () => {
    for await (const { filename } of watch('.', { signal })) {
      if (filename === null || !isOwn(filename)) continue;
      changed.add(filename);
      wake.resolve();
    }
  })().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  const ended = Promise.race([watching, once(signal, 'abort')]);
  for (;;) {
    await Promise.race([wake.promise, ended]);
    if (signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    const [name = ''] = changed;
    changed.clear();
    wake = Promise.withResolvers<void>();
    yield name;
  }
}

function manifests(
  { group, version }: { readonly group: string; readonly version: string },
  simulator: { readonly url: string; credentials(): string },
): string {
  const [first = '', ...domain] = group.split('.');
  const objects = [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'default', name: 'dev' },
      stringData: { credentials: simulator.credentials() },
    },
    {
      apiVersion: `${[first, 'm', ...domain].join('.')}/${version}`,
      kind: 'ProviderConfig',
      metadata: { namespace: 'default', name: 'default' },
      spec: {
        url: simulator.url,
        credentials: {
          source: 'Secret',
          secretRef: { namespace: 'default', name: 'dev', key: 'credentials' },
        },
      },
    },
  ];
  return objects.map((object) => `---\n${JSON.stringify(object, null, 2)}\n`).join('');
}
