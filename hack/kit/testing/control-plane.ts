/**
 * `provider-kyma/testing/control-plane`: a real Kubernetes API for the tests of a provider. It is etcd, kube-apiserver and the controllers
 * that users of the API notice, e.g. garbage collection and namespace deletion. No pod runs.
 */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { sleep, systemClock } from '../../../internal/framework/base/time/clock.ts';
import { type ClusterConfig, loadClusterConfig } from '../../../internal/framework/kube/index.ts';
import { startControlPlane as startServers } from '../../control-planes/control-plane.ts';

export interface ControlPlaneOptions {
  /** Folders with CRDs, which are installed and served when the function returns. Default: none. */
  readonly crds?: readonly string[];
  /** Called with progress of long work: the first start on a machine downloads or builds the servers. */
  readonly report?: (line: string) => void;
  /** Gives the start up and leaves nothing behind. */
  readonly signal?: AbortSignal;
}

export interface ControlPlane {
  /** For `createKubeClient`, as an admin. */
  readonly config: ClusterConfig;
  /** The same for programs: the path of a kubeconfig. */
  readonly kubeconfigPath: string;
  /** Installs the CRDs of a folder, or applies what changed in them, and waits until their kinds are served. */
  installCrds(folder: string): Promise<void>;
  /** Ends the API server as a crash does. The data stays. */
  stopApiServer(): Promise<void>;
  /** Starts it again on the same port, and waits until it is ready. */
  startApiServer(): Promise<void>;
  /** Ends all processes and removes what they stored. So does the end of this process, for whatever reason. */
  stop(): Promise<void>;
}

/**
 * Starts a control plane in some seconds. Its servers are those of `KUBEBUILDER_ASSETS`, else those of the cache, else they are downloaded
 * or, where that is not possible, built with Go.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { crds = [], report = () => undefined, signal } = options;
  const wanted = await Promise.all(crds.map(readCrds));
  const servers = await startServers({ name: 'tests', report, ...(signal === undefined ? {} : { signal }) });
  const install = async (found: readonly Crd[]) => {
    await Promise.all(found.map((crd) => installCrd(servers.request, crd)));
  };
  try {
    await install(wanted.flat());
    const kubeconfig = servers.kubeconfigPath;
    return {
      config: await loadClusterConfig({ clock: systemClock, kubeconfig }),
      kubeconfigPath: kubeconfig,
      installCrds: async (folder) => install(await readCrds(folder)),
      stopApiServer: () => servers.stopApiServer(),
      startApiServer: servers.startApiServer,
      stop: servers.stop,
    };
  } catch (error) {
    await servers.stop();
    throw error;
  }
}

type Request = Awaited<ReturnType<typeof startServers>>['request'];

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

async function readCrds(folder: string): Promise<Crd[]> {
  const found: Crd[] = [];
  for await (const file of glob('*.{yaml,yml}', { cwd: folder })) {
    for (const document of parseAllDocuments(await readFile(join(folder, file), 'utf8')))
      if (document.get('kind') === 'CustomResourceDefinition') found.push(document.toJS());
  }
  if (found.length === 0) throw new Error(`cannot install CRDs: ${folder} has none`);
  return found;
}

/** From apply to served takes some 100 ms. */
const SERVED_WITHIN_MS = 30_000;
const RETRY_MS = 50;

async function installCrd(request: Request, crd: Crd): Promise<void> {
  const { name } = crd.metadata;
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
  const applied = await request(`${path}?fieldManager=tests&force=true&fieldValidation=Strict`, {
    method: 'PATCH',
    contentType: 'application/apply-patch+yaml',
    body: crd,
  });
  if (applied.status >= 300) throw new Error(`cannot install CRD ${name}: ${messageIn(applied.body)}`);
  const { group, names, versions } = crd.spec;
  const deadline = systemClock.monotonic() + SERVED_WITHIN_MS;
  for (const version of versions.filter(({ served }) => served)) {
    // Right after the condition Established, lists may still fail.
    const list = `/apis/${group}/${version.name}/${names.plural}?limit=1`;
    while ((await request(list)).status !== 200) {
      if (systemClock.monotonic() > deadline) throw new Error(`CRD ${name} is installed and not served`);
      await sleep(systemClock, RETRY_MS);
    }
  }
}

/** Of the Status object that the API server responds with. */
const messageIn = (body: unknown): string => {
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
  return typeof message === 'string' ? message : JSON.stringify(body);
};
