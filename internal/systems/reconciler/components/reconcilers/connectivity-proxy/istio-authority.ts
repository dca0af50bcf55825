import { ProviderError } from '../../../../../framework/base/index.ts';

import { openConnections } from '../../../../../framework/http/transport/connections.ts';
import { collect, createSourceHttp } from '../../charts/sources/source-http.ts';
import type { ActionContext } from '../../model/component.ts';
import { type Credentials, credentialText } from './credentials.ts';
import { applySecret } from './own-objects.ts';

type Context = Pick<ActionContext, 'cluster' | 'signal' | 'clock' | 'random' | 'configuration'>;

/** Reads the certificates of authorities at a URL that a binding names. */
export type ReadAuthorities = (
  url: URL,
  context: Pick<Context, 'clock' | 'random' | 'signal'>,
) => Promise<string>;

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** The binding belongs to a customer, so private addresses are refused. */
export const readAuthorities: ReadAuthorities = async (url, { clock, random, signal }) => {
  const connections = openConnections({
    allowPrivateEndpoints: false,
    trustedCertificates: [],
    env: process.env,
    perOrigin: 1,
    connectTimeoutMs: TIMEOUT_MS,
    keepAliveMs: 1000,
  });
  try {
    const http = createSourceHttp({ clock, random, connections, allowPrivateEndpoints: false });
    const { body } = await http.send({ url, maxBytes: MAX_BYTES, tenant: '' }, signal);
    return (await collect(body)).toString('utf8');
  } finally {
    await connections.close();
  }
};

/** The Secret with the authorities of the Connectivity service, by which the gateway checks cloud connectors. */
export async function applyAuthorities(
  context: Context,
  credentials: Credentials,
  read: ReadAuthorities,
): Promise<void> {
  const base = credentialText(credentials, 'connectivity_service', 'url');
  const path = credentialText(credentials, 'connectivity_service', 'CAs_path');
  const url = URL.parse(`${base}${path}`);
  if (url === null) throw new ProviderError('terminal', 'the URL of the Connectivity service is invalid');
  const authorities = await read(url, context);
  if (authorities.trim() === '') {
    throw new ProviderError('transient', `${url.host} gave no certificates of authorities`);
  }
  const { configuration } = context;
  const name = configuration['istio.secret.name'];
  if (typeof name !== 'string' || name === '') {
    throw new ProviderError('terminal', 'the configuration of the component has no istio.secret.name');
  }
  const namespace = textOr(configuration['istio.secret.namespace'], 'istio-system');
  const key = textOr(configuration['istio.secret.key'], 'cacert');
  await applySecret(context, { name, namespace }, { [key]: authorities });
}

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value : otherwise;
