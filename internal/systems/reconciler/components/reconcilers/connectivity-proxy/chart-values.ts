import { isObject } from '../../../../../framework/base/index.ts';

import type { Secret } from '../../../../../framework/kube/index.ts';
import type { ActionContext } from '../../model/actions.ts';
import { secretText } from '../common/fields.ts';
import { type Credentials, credentialText, parsed } from './credentials.ts';
import { MAPPINGS, SERVICE_KEY, TLS } from './names.ts';

type Configuration = ActionContext['configuration'];

const BINDING = 'global.binding.';
/** JSON texts within JSON texts. */
const MAX_DEPTH = 4;

/** Each key of the Secret below `global.binding`; JSON objects in it are replaced by their own keys. */
export function setBindingValues(configuration: Configuration, secret: Secret): void {
  for (const key of Object.keys(secret.data ?? {}).sort()) {
    setFlat(configuration, key, secretText(secret, key) ?? '', 0);
  }
}

function setFlat(configuration: Configuration, key: string, text: string, depth: number): void {
  const value = depth < MAX_DEPTH ? parsed(text) : undefined;
  if (!isObject(value)) {
    configuration[BINDING + key] = text;
    return;
  }
  for (const [inner, item] of Object.entries(value)) {
    if (typeof item === 'string') setFlat(configuration, inner, item, depth + 1);
    else configuration[BINDING + inner] = item;
  }
}

/** @param ca of the certificate of the mapping operator */
export function setProxyValues(
  configuration: Configuration,
  credentials: Credentials,
  host: string,
  ca: string,
): void {
  Object.assign(configuration, {
    'config.subaccountId': credentialText(credentials, 'subaccount_id'),
    'config.subaccountSubdomain': credentialText(credentials, 'subaccount_subdomain'),
    'config.servers.businessDataTunnel.externalHost': tunnelHost(host),
    'config.servers.businessDataTunnel.externalPort': '443',
    'secretConfig.integration.connectivityService.secretName': SERVICE_KEY.name,
    'config.serviceMappings.configMapName': MAPPINGS.name,
    'config.serviceMappings.tlsSecret': TLS.name,
    'deployment.serviceMapping.caBundle': Buffer.from(ca).toString('base64'),
  });
}

/** @param host the domain of the cluster */
export const tunnelHost = (host: string): string => `cp.${host}`;
