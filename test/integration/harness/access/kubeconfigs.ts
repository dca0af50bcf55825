import { parse, stringify } from 'yaml';

type Fields = Readonly<Record<string, unknown>>;

/** What to change in a kubeconfig of one context; null takes a field away. */
export interface KubeconfigEdit {
  readonly root?: Fields;
  readonly cluster?: Fields;
  readonly user?: Fields;
  /** In place of the user's certificate. */
  readonly credentials?: Fields;
}

interface Kubeconfig {
  readonly clusters: [{ readonly cluster: Fields }];
  readonly users: [{ readonly user: Fields }];
}

export function editKubeconfig(text: string, { root, cluster, user, credentials }: KubeconfigEdit): string {
  const config: Kubeconfig & Fields = parse(text);
  const [{ cluster: oldCluster, ...clusterEntry }] = config.clusters;
  const [{ user: oldUser, ...userEntry }] = config.users;
  return stringify({
    ...config,
    clusters: [{ ...clusterEntry, cluster: { ...oldCluster, ...cluster } }],
    users: [{ ...userEntry, user: { ...(credentials ?? oldUser), ...user } }],
    ...root,
  });
}

/** Address and authority of the API server. */
export function serverIn(kubeconfig: string): { readonly url: string; readonly ca: string } {
  const config: Kubeconfig = parse(kubeconfig);
  const [{ cluster }] = config.clusters;
  const { server, 'certificate-authority-data': ca } = cluster;
  return { url: String(server), ca: Buffer.from(String(ca), 'base64').toString() };
}
