import { FILES } from './access/access.ts';

/*
 * Flags of the control plane's servers: all run in one working directory, so that flags name files without a path, and
 * with one port among them.
 */

/** Flags as `name → value`. */
export type Flags = Readonly<Record<string, string>>;

export const renderFlags = (flags: Flags): string[] =>
  Object.entries(flags).map(([name, value]) => `--${name}=${value}`);

/** On a socket in its working directory: no port conflicts, no other clients. */
export const ETCD_FLAGS: Flags = {
  'data-dir': 'etcd',
  'listen-client-urls': `unix://${FILES.etcdSocket}`,
  'advertise-client-urls': `unix://${FILES.etcdSocket}`,
  'listen-peer-urls': 'unix://etcd-peers:0',
  'initial-advertise-peer-urls': 'unix://etcd-peers:0',
  'initial-cluster': 'default=unix://etcd-peers:0',
  // The data need not survive a power cut.
  'unsafe-no-fsync': 'true',
  'log-level': 'warn',
};

export const apiServerFlags = (port: number): Flags => ({
  'etcd-servers': `unix://${FILES.etcdSocket}`,
  'bind-address': '127.0.0.1',
  'advertise-address': '127.0.0.1',
  'secure-port': String(port),
  'cert-dir': '.',
  'tls-cert-file': FILES.serverCertificate,
  'tls-private-key-file': FILES.serverKey,
  'client-ca-file': FILES.clientAuthorities,
  'token-auth-file': FILES.tokens,
  'requestheader-client-ca-file': FILES.frontProxyAuthority,
  'requestheader-username-headers': 'X-Remote-User',
  'requestheader-group-headers': 'X-Remote-Group',
  'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
  'proxy-client-cert-file': FILES.frontProxyCertificate,
  'proxy-client-key-file': FILES.frontProxyKey,
  'authorization-mode': 'RBAC',
  'service-account-issuer': 'https://kubernetes.default.svc',
  'service-account-key-file': FILES.serviceAccountsPublicKey,
  'service-account-signing-key-file': FILES.serviceAccountsKey,
  'service-cluster-ip-range': '10.0.0.0/24',
  // Its queues took an eighth of the CPU time; requests at the same time stay limited.
  'enable-priority-and-fairness': 'false',
  // No pod reaches the API by its service.
  'endpoint-reconciler-type': 'none',
  'audit-policy-file': FILES.auditPolicy,
  'audit-log-path': FILES.audit,
  // One file, never rotated away under a reader.
  'audit-log-maxsize': '0',
});

/** Fewer watches and less memory than with all forty; these change what a user of the API sees. */
const CONTROLLERS = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'clusterrole-aggregation-controller',
];

export const CONTROLLER_MANAGER_FLAGS: Flags = {
  kubeconfig: FILES.controllersKubeconfig,
  controllers: CONTROLLERS.join(','),
  'leader-elect': 'false',
  // It serves no requests.
  'secure-port': '0',
  'kube-api-qps': '200',
  'kube-api-burst': '400',
};

/** Users of the control plane's own components, whose requests are not counted. */
export const OWN_USERS = { controllers: 'system:kube-controller-manager', probe: 'readiness-probe' } as const;

/** Records users and requests, without bodies, which may hold secrets. */
export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', users: ['system:apiserver', ...Object.values(OWN_USERS)] },
    { level: 'None', nonResourceURLs: ['/readyz*', '/healthz*', '/livez*'] },
    { level: 'Metadata' },
  ],
};
