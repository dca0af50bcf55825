import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { tool } from '../../environment/tool.ts';
import { pullAddress, pushAddress, removeRegistry, startRegistry } from './kind-registry.ts';
import { rewriteRegistry } from './rewrite-registry.ts';
import { POSTGRES_IMAGE, type TestCluster } from './test-cluster.ts';

const ROOT = join(import.meta.dirname, '../../..');
const RUNTIME_IMAGE = 'provider-kyma-runtime:e2e';
const PACKAGE = 'registry.example.org/e2e/provider-kyma';
const ARGOCD = 'v3.5.1';
const POSTGRES = 'docker.io/library/postgres:17-bookworm';
const CHARTS = 'https://charts.crossplane.io/stable';

async function buildRuntime(tag: string, root: string): Promise<void> {
  const flags = ['--file', 'package/Dockerfile', '--platform', 'linux/amd64', '--tag', tag];
  await tool('docker', ['build', ...flags, '.'], { cwd: root });
}

/** Packets from kind's pods to its API server. */
const DROP = ['--source', '10.244.0.0/16', '--protocol', 'tcp', '--dport', '6443', '--jump', 'DROP'];

/** A kind cluster with a registry beside it: needs Docker and the internet. @param cluster its name */
export function kindCluster(cluster: string): TestCluster {
  return {
    name: 'kind',
    prepare: async () => {
      await tool('docker', ['version']);
      await tool('kind', ['version']);
      await tool('kubectl', ['version', '--client']);
      await tool('helm', ['version']);
      await tool('skopeo', ['--version']);
    },
    start: async () => {
      const config = join(ROOT, 'test/e2e/manifests/kind.yaml');
      await tool('kind', ['create', 'cluster', '--name', cluster, '--config', config]);
      await startRegistry(cluster);
    },
    kubeconfig: () => tool('kind', ['get', 'kubeconfig', '--name', cluster]),
    crossplaneChart: async (range) => ['crossplane', '--repo', CHARTS, '--version', range],
    addProgram: async (image, folder) => {
      const dockerfile = join(ROOT, 'test/e2e/simulator/Dockerfile');
      await tool('docker', ['build', '--file', dockerfile, '--tag', image, folder]);
      await tool('kind', ['load', 'docker-image', image, '--name', cluster]);
    },
    addPackage: async ({ directory, version, root = ROOT, reference }) => {
      await buildRuntime(RUNTIME_IMAGE, root);
      await mkdir(directory, { recursive: true });
      const runtime = join(directory, 'runtime.tar');
      await tool('docker', ['save', RUNTIME_IMAGE, '--output', runtime]);
      const build = ['--runtime-image', runtime, '--version', version, '--output', directory];
      await tool(process.execPath, ['hack/xpkg/main.ts', ...build], { cwd: root });
      const [host = '', ...path] = (reference ?? `${PACKAGE}:v${version}`).split('/');
      const name = path.join('/');
      const to = `docker://${pushAddress}/${name}`;
      await tool('skopeo', [
        'copy',
        '--dest-tls-verify=false',
        `oci:${join(directory, 'oci')}:v${version}`,
        to,
      ]);
      const from = await pullAddress();
      if (reference === undefined) return `${from}/${name}`;
      await rewriteRegistry(host, from);
      return reference;
    },
    addRuntimeImage: async (reference) => {
      await buildRuntime(reference, ROOT);
      await tool('kind', ['load', 'docker-image', reference, '--name', cluster]);
    },
    addPostgres: async () => {
      await tool('docker', ['pull', POSTGRES]);
      await tool('docker', ['tag', POSTGRES, POSTGRES_IMAGE]);
      await tool('kind', ['load', 'docker-image', POSTGRES_IMAGE, '--name', cluster]);
    },
    // Its default class makes them.
    addVolume: async () => undefined,
    // Crossplane gets it from its registry.
    addFunction: async () => undefined,
    addArgoCd: async ({ version = ARGOCD, repository, folder }) => {
      if (repository === undefined) throw new Error('Argo CD on kind needs --repository');
      const { url, revision } = repository;
      return {
        manifests: `https://raw.githubusercontent.com/argoproj/argo-cd/${version}/manifests/install.yaml`,
        source: { repoURL: url, targetRevision: revision, path: folder },
        objects: [],
      };
    },
    isolatePods: async () => {
      const iptables = (action: string) =>
        tool('docker', ['exec', `${cluster}-control-plane`, 'iptables', '--wait', action, 'INPUT', ...DROP]);
      await iptables('--insert');
      return async () => void (await iptables('--delete'));
    },
    stop: async () => {
      await tool('kind', ['delete', 'cluster', '--name', cluster]);
      await removeRegistry();
    },
  };
}
