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
