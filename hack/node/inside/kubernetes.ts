import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES } from '../../control-planes/access/access.ts';
import type { Authority } from '../../control-planes/access/authority.ts';
import { renderKubeconfig } from '../../control-planes/access/kubeconfig.ts';
import type { ServerFlags } from '../../control-planes/control-plane.ts';
import { ADDRESSES, NODE_NAME, type NodeSettings } from '../settings.ts';

const KUBELET_CLIENT = { certificate: 'kubelet-client.crt', key: 'kubelet-client.key' } as const;

/** Clients of the API server on the node, by the name of their kubeconfig. */
const CLIENTS = {
  kubelet: { user: `system:node:${NODE_NAME}`, groups: ['system:nodes'] },
  'kube-proxy': { user: 'system:kube-proxy', groups: [] },
  'kube-scheduler': { user: 'system:kube-scheduler', groups: [] },
  coredns: { user: 'system:coredns', groups: ['system:masters'] },
} as const;

const kubeconfigOf = (directory: string, client: keyof typeof CLIENTS): string =>
  join(directory, `${client}.kubeconfig`);

/** Writes the credentials of the node's programs, and returns the flags by which a control plane has nodes. */
export async function prepareControlPlane(
  { name, directory, port }: NodeSettings,
  authority: Authority,
): Promise<ServerFlags> {
  const write = (path: string, text: string) => writeFile(path, text, { mode: 0o600 });
  for (const [client, { user, groups }] of Object.entries(CLIENTS)) {
    const kubeconfig = renderKubeconfig({
      cluster: name,
      server: `https://127.0.0.1:${port}`,
      authority: authority.certificate,
      user,
      client: await authority.issueClient(user, groups),
    });
    await write(kubeconfigOf(directory, client as keyof typeof CLIENTS), kubeconfig);
  }
  const certificate = join(directory, KUBELET_CLIENT.certificate);
  const key = join(directory, KUBELET_CLIENT.key);
  const client = await authority.issueClient('kube-apiserver', ['system:masters']);
  await write(certificate, client.certificate);
  await write(key, client.key);
  return {
    'kube-apiserver': {
      'bind-address': '0.0.0.0',
      'advertise-address': ADDRESSES.node,
      'endpoint-reconciler-type': 'lease',
      'authorization-mode': 'Node,RBAC',
      'enable-admission-plugins': 'NodeRestriction',
      'allow-privileged': 'true',
      'service-cluster-ip-range': ADDRESSES.services,
      'kubelet-client-certificate': certificate,
      'kubelet-client-key': key,
      'kubelet-preferred-address-types': 'InternalIP',
    },
    'kube-controller-manager': {
      controllers: '*',
      'service-account-private-key-file': FILES.serviceAccountsKey,
      'root-ca-file': FILES.authority,
      // Pods that are gone are seen soon.
      'node-monitor-period': '2s',
    },
  };
}

/** Names under which pods reach the API server. */
export const SERVER_NAMES = [
  ADDRESSES.node,
  ADDRESSES.apiService,
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc.cluster.local',
];

/** Writes the kubelet's configuration. Returns its arguments. */
export async function kubeletSetup(
  { directory, cgroup }: NodeSettings,
  { socket, authority }: { readonly socket: string; readonly authority: string },
): Promise<string[]> {
  const folder = join(directory, 'kubelet');
  const at = (name: string) => join(folder, name);
  await mkdir(at('logs'), { recursive: true });
  await writeFile(at('resolv.conf'), '');
  const configuration = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: ADDRESSES.node,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: authority },
    },
    authorization: { mode: 'Webhook' },
    cgroupDriver: 'cgroupfs',
    cgroupRoot: cgroup,
    failCgroupV1: false,
    failSwapOn: false,
    enforceNodeAllocatable: [],
    clusterDomain: 'cluster.local',
    clusterDNS: [ADDRESSES.node],
    resolvConf: at('resolv.conf'),
    containerRuntimeEndpoint: `unix://${socket}`,
    podLogsDir: at('logs'),
    volumePluginDir: at('plugins'),
    // The disk is the machine's: what else fills it evicts no pods.
    evictionHard: { 'imagefs.available': '0%', 'nodefs.available': '0%', 'nodefs.inodesFree': '0%' },
    imageGCHighThresholdPercent: 100,
    serializeImagePulls: false,
    // ConfigMaps and Secrets arrive in pods soon.
    syncFrequency: '10s',
  };
  await writeFile(at('config.json'), JSON.stringify(configuration));
  return [
    `--config=${at('config.json')}`,
    `--kubeconfig=${kubeconfigOf(directory, 'kubelet')}`,
    `--root-dir=${at('root')}`,
    `--cert-dir=${at('certificates')}`,
    `--hostname-override=${NODE_NAME}`,
    `--node-ip=${ADDRESSES.node}`,
  ];
}

/** Writes the configuration of kube-proxy. Returns its arguments. */
export async function kubeProxySetup({ directory }: NodeSettings): Promise<string[]> {
  const file = join(directory, 'kube-proxy.json');
  const configuration = {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'iptables',
    clientConnection: { kubeconfig: kubeconfigOf(directory, 'kube-proxy') },
    hostnameOverride: NODE_NAME,
    clusterCIDR: ADDRESSES.pods,
    healthzBindAddress: '127.0.0.1:10256',
    // Limits of connections are the whole machine's.
    conntrack: { maxPerCore: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    // Packets follow a new endpoint soon.
    iptables: { minSyncPeriod: '100ms' },
  };
  await writeFile(file, JSON.stringify(configuration));
  return [`--config=${file}`];
}

export const schedulerArgs = (directory: string): string[] => {
  const kubeconfig = kubeconfigOf(directory, 'kube-scheduler');
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    `--tls-cert-file=${FILES.serverCertificate}`,
    `--tls-private-key-file=${FILES.serverKey}`,
  ];
};

/** Names of services, at port 53 of the node. */
export async function coreDnsSetup({ directory }: NodeSettings): Promise<string[]> {
  const file = join(directory, 'Corefile');
  await writeFile(
    file,
    `.:53 {
  bind ${ADDRESSES.node}
  errors
  ready 127.0.0.1:8181
  kubernetes cluster.local {
    kubeconfig ${kubeconfigOf(directory, 'coredns')}
  }
  cache 5
}
`,
  );
  return ['-conf', file];
}
