import { join } from 'node:path';
import { parse } from 'yaml';
import { apiRequester } from '../../../hack/control-planes/access/api-request.ts';
import { clusterOf, type E2eContext } from '../e2e-context.ts';
import type { PodsOptions } from './pods-options.ts';

/** The simulator's admin API, through the API server: the service's port `api`, over TLS. */
const DOOR = '/api/v1/namespaces/hana-cloud/services/https:hana-cloud:api/proxy/_simulator';

/** The context of the steps that need no pods, on one cluster, which is both management and Kyma cluster. */
export async function podsContext({ cluster, directory }: PodsOptions): Promise<E2eContext> {
  const kubeconfig = await cluster.kubeconfig();
  const both = clusterOf(cluster.name, apiRequester(kubeconfig));
  const { clusters } = parse(kubeconfig) as Kubeconfig;
  const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString();
  return {
    management: both,
    kyma: both,
    // As pods see it.
    kymaAddress: { server: 'https://kubernetes.default.svc', ca },
    simulator: async (path, method = 'GET') => {
      const { status, body } = await both.request(`${DOOR}${path}`, { method });
      if (status !== 200) throw new Error(`the simulator answers ${method} ${path} with ${status}`);
      return body;
    },
    packageYaml: join(directory, 'package.yaml'),
  };
}

interface Kubeconfig {
  readonly clusters: [{ readonly cluster: { readonly 'certificate-authority-data': string } }];
}
