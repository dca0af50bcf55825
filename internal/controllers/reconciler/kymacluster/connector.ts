import { readFile } from 'node:fs/promises';
import type { KymaCluster } from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { ProviderError, WaitingError } from '../../../base/errors/errors.ts';
import { ownMember } from '../../../base/json/json-field.ts';
import { createMothershipClient } from '../../../clients/mothership/mothership-client.ts';
import { EndpointRefusedError, refusalOf } from '../../../http/transport/endpoint-guard.ts';
import { isNotFound } from '../../../kube/errors/errors.ts';
import { keyString, type Secret } from '../../../kube/object/object.ts';
import { secrets } from '../../../kube/object/resource-type.ts';
import { decodedData } from '../../../kube/object/secret-data.ts';
import { type Connector, extractCredentials, usedConfigOf } from '../../../managed/index.ts';
import type { ModuleContext } from '../../module/module.ts';
import { type MothershipConfig, mothershipConfigKinds } from '../provider-configs.ts';
import { createExternalClient } from './external-client.ts';

export interface ConnectorOptions
  extends Pick<ModuleContext, 'client' | 'cluster' | 'deps' | 'env' | 'flags' | 'trustedCertificates'> {
  readonly scope: 'cluster' | 'namespaced';
}

/** Registrations have the kubeconfig in a body of at most 100,000 bytes. */
const MAX_KUBECONFIG = 90_000;
const MAX_TOKEN = 16 * 1024;

export function createConnector(options: ConnectorOptions): Connector<KymaCluster> {
  const { client, deps, env, flags, scope } = options;
  return {
    connect: async (resource, { signal }) => {
      const used = usedConfigOf(resource, mothershipConfigKinds[scope]);
      const config = (await client.get(used.type, used.key, { signal })) as MothershipConfig;
      const { namespace } = used.key;
      // A configuration in a namespace is that of a tenant, who must not reach into the network of the provider.
      const mayBePrivate = flags.allowPrivateEndpoints || namespace === undefined;
      if (!mayBePrivate) assertPublic(config.spec.url);
      const token = await readToken(config, { ...options, namespace, signal });
      const { caBundle } = config.spec;
      const mothership = createMothershipClient({
        ...deps,
        env,
        url: config.spec.url,
        token: async () => token,
        trustedCertificates: [...(options.trustedCertificates ?? []), ...(caBundle ? [caBundle] : [])],
        allowPrivateEndpoints: mayBePrivate,
      });
      return createExternalClient(mothership, () => readKubeconfig(options, resource, signal));
    },
  };
}

function assertPublic(text: string): void {
  const url = URL.parse(text);
  const refusal = url === null ? 'it is no URL' : refusalOf(url);
  if (refusal !== undefined)
    throw new EndpointRefusedError(`the url of the ProviderConfig is refused: ${refusal}`);
}

async function readToken(
  { spec: { credentials } }: MothershipConfig,
  {
    client,
    env,
    namespace,
    signal,
  }: Pick<ConnectorOptions, 'client' | 'env'> & {
    readonly namespace: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<string | undefined> {
  const bytes = await extractCredentials(credentials, {
    client,
    env,
    readFile: (path, within) => readFile(path, { signal: within }),
    ...(namespace === undefined ? {} : { namespace }),
    signal,
  });
  const token = Buffer.from(bytes).toString('utf8').trim();
  if (token === '') return undefined;
  // As RFC 6750 has it; anything else cannot be a header, or is a file of another kind.
  if (token.length <= MAX_TOKEN && /^[\w.~+/=-]+$/.test(token)) return token;
  throw new ProviderError('terminal', 'the credentials of the ProviderConfig are no bearer token');
}

/** The kubeconfig of the Secret; undefined if the resource names none. @throws WaitingError while it is missing */
async function readKubeconfig(
  { client, cluster }: ConnectorOptions,
  { metadata, spec }: KymaCluster,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { kubeconfigSecretRef: ref } = spec.forProvider;
  if (ref === undefined) {
    if (metadata.namespace === undefined) return undefined;
    // The mothership would use the kubeconfig of any runtime that is named.
    throw new ProviderError(
      'terminal',
      'a namespaced KymaCluster needs spec.forProvider.kubeconfigSecretRef',
    );
  }
  // For a namespaced resource always in its own namespace.
  const key = { name: ref.name, namespace: metadata.namespace ?? ref.namespace ?? '' };
  const secret = await client.get<Secret>(secrets, key, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const field = ref.key ?? 'config';
  const kubeconfig = secret === undefined ? undefined : ownMember(decodedData(secret), field);
  if (kubeconfig !== undefined && kubeconfig !== '') {
    if (kubeconfig.length <= MAX_KUBECONFIG) return kubeconfig;
    throw new ProviderError(
      'terminal',
      `Secret ${keyString(key)}: key ${field} is too long for a kubeconfig`,
    );
  }
  const what = secret === undefined ? 'not found' : `has no key ${field}`;
  throw new WaitingError(`Secret ${keyString(key)} ${what}`, {
    targets: [cluster.objectWatcher.target(secrets, key, secret?.metadata.resourceVersion ?? 'absent')],
  });
}
