/** Who may always connect to API servers with an access control list, from a ConfigMap beside the Runtimes. */
import { ProviderError } from '../../../framework/base/index.ts';

import {
  type ConfigMap,
  configMaps,
  type Informer,
  type Informers,
  keyString,
} from '../../../framework/kube/index.ts';
import type { AccessControl } from '../rendering/model/extender.ts';

const OPERATORS = 'acl-list.json';
const CONTROL_PLANE = 'kcp-external-nat-ip.json';

/** The ConfigMap of that name, as the only one in memory. */
export const accessControlInformer = (
  informers: Informers,
  namespace: string,
  name: string,
): Informer<ConfigMap> =>
  informers.of(configMaps, { selection: { namespace, fieldSelector: `metadata.name=${name}` } });

/** @throws ProviderError if the ConfigMap is missing or has a mistake */
export function accessControlOf(
  informer: Pick<Informer<ConfigMap>, 'get'>,
  namespace: string,
  name: string,
): AccessControl {
  const found = informer.get(keyString({ namespace, name }));
  const where = `ConfigMap ${namespace}/${name}`;
  if (found === undefined)
    throw new ProviderError('terminal', `${where} with access control lists is missing`);
  const operators = parsed(found, OPERATORS);
  if (!Array.isArray(operators) || !operators.every((range) => typeof range === 'string'))
    throw new ProviderError('terminal', `${where}: ${OPERATORS} is no list of texts`);
  const controlPlane = parsed(found, CONTROL_PLANE);
  if (typeof controlPlane !== 'string')
    throw new ProviderError('terminal', `${where}: ${CONTROL_PLANE} is no text`);
  return { operators, controlPlane };
}

function parsed({ metadata, data = {} }: ConfigMap, key: string): unknown {
  try {
    return JSON.parse(data[key] ?? '');
  } catch {
    const where = `ConfigMap ${metadata.namespace}/${metadata.name}`;
    throw new ProviderError('terminal', `${where}: ${key} is missing, or no JSON`);
  }
}
