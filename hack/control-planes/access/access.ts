import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer as bufferOf } from 'node:stream/consumers';
import { type ApiRequest, apiRequester } from './api-request.ts';
import { loadAuthority } from './authority.ts';
import { httpJson } from './http-json.ts';
import { renderKubeconfig } from './kubeconfig.ts';
import { linesWith } from './lines-with.ts';

/** The address of a running control plane: plain data, so that one process can start it and others use it. */
export interface ControlPlaneAddress {
  readonly name: string;
  /** `https://127.0.0.1:<port>` */
  readonly server: string;
  /** Its certificates, logs and data. Gone when the control plane is stopped. */
  readonly directory: string;
}

/** A key of etcd below `/registry/`, as the API server stores it: protobuf, or JSON for custom resources. */
export interface EtcdEntry {
  readonly key: string;
  readonly value: Buffer;
}

/** One request as the API server recorded it (audit.k8s.io/v1 Event, level Metadata), in part. */
export interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly annotations?: { readonly 'authorization.k8s.io/decision'?: 'allow' | 'forbid' };
  /** A watch has two events: `ResponseStarted` when it opens, `ResponseComplete` when it ends. */
  readonly stage: 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly requestReceivedTimestamp: string;
}

export interface User {
  readonly name: string;
  readonly groups?: readonly string[];
}

/** What one does with a running control plane. */
export interface ControlPlaneAccess extends ControlPlaneAddress {
  /** YAML with an inline token, for a member of `system:masters`. */
  readonly kubeconfig: string;
  /** The same as a file. */
  readonly kubeconfigPath: string;
  /** Sends requests to the API server as that admin. */
  readonly request: ApiRequest;
  /** Makes a user known and returns its kubeconfig. What it may do is a matter of RBAC objects. */
  addUser(user: User): Promise<string>;
  /** Everything that is stored, read from etcd directly. */
  etcdEntries(): AsyncIterable<EtcdEntry>;
  /**
   * The requests that the API server has recorded since this access was opened, without those of its own components.
   *
   * @param text only records that contain it, which is much faster than all of them
   */
  auditEvents(text: string): Promise<AuditEvent[]>;
  /** The log files of its processes, by path. */
  readonly logs: readonly string[];
}

/** File names inside a control plane's directory. */
export const FILES = {
  authority: 'ca.crt',
  authorityKey: 'ca.key',
  /** Of clients. */
  clientAuthorities: 'client-ca.crt',
  /** Of the admin. */
  tokens: 'tokens.csv',
  serverCertificate: 'apiserver.crt',
  serverKey: 'apiserver.key',
  /** Of the aggregator, which passes users on to aggregated API servers in headers. */
  frontProxyAuthority: 'front-proxy-ca.crt',
  frontProxyCertificate: 'front-proxy.crt',
  frontProxyKey: 'front-proxy.key',
  serviceAccountsPublicKey: 'service-accounts.pub',
  serviceAccountsKey: 'service-accounts.key',
  kubeconfig: 'kubeconfig',
  controllersKubeconfig: 'controllers.kubeconfig',
  auditPolicy: 'audit-policy.json',
  audit: 'audit.jsonl',
  /** etcd insists on the form host:port even for a socket's name. */
  etcdSocket: 'etcd-clients:0',
} as const;

export async function accessControlPlane(address: ControlPlaneAddress): Promise<ControlPlaneAccess> {
  const { name, server, directory } = address;
  const file = (key: keyof typeof FILES) => join(directory, FILES[key]);
  const kubeconfig = await readFile(file('kubeconfig'), 'utf8');
  // A test run records many megabytes.
  const audited = await stat(file('audit')).then(
    ({ size }) => size,
    () => 0,
  );
  return {
    name,
    server,
    directory,
    kubeconfig,
    request: apiRequester(kubeconfig),
    kubeconfigPath: file('kubeconfig'),
    addUser: async (user) => {
      const authority = await loadAuthority({
        certificate: await readFile(file('authority'), 'utf8'),
        key: await readFile(file('authorityKey'), 'utf8'),
      });
      return renderKubeconfig({
        cluster: name,
        server,
        authority: authority.certificate,
        user: user.name,
        client: await authority.issueClient(user.name, user.groups),
      });
    },
    etcdEntries: () => readEtcd(file('etcdSocket')),
    auditEvents: async (text) => {
      const start = Math.max(audited - 1, 0);
      const bytes = await bufferOf(createReadStream(file('audit'), { start }));
      // It starts with the end of a record that is left out.
      const records = bytes.subarray(audited === 0 ? 0 : bytes.indexOf('\n') + 1);
      return linesWith(records, text).map((line): AuditEvent => JSON.parse(line));
    },
    logs: ['etcd', 'kube-apiserver', 'kube-controller-manager'].map((server) =>
      join(directory, `${server}.log`),
    ),
  };
}

const PAGE = 200;

/** Pages through all keys by etcd's JSON gateway, whose bytes are base64. */
async function* readEtcd(socketPath: string): AsyncGenerator<EtcdEntry> {
  const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64');
  let from = Buffer.from('\0');
  for (;;) {
    const answer = await httpJson({
      url: 'http://etcd/v3/kv/range',
      method: 'POST',
      socketPath,
      // A range that ends with a zero byte has no end.
      body: { key: base64(from), range_end: base64('\0'), limit: PAGE },
    });
    if (answer.status !== 200) throw new Error(`cannot read etcd: it answered ${answer.status}`);
    const { kvs = [], more } = answer.body as { kvs?: { key: string; value?: string }[]; more?: boolean };
    for (const entry of kvs) {
      const key = Buffer.from(entry.key, 'base64');
      yield { key: key.toString(), value: Buffer.from(entry.value ?? '', 'base64') };
      from = Buffer.concat([key, Buffer.from('\0')]);
    }
    if (!more) return;
  }
}
