import { ProviderError } from '../../../framework/base/index.ts';

import type { CredentialsLocation } from './credentials-location.ts';

interface ParsedRef {
  readonly namespace: string;
  readonly name: string;
  readonly key?: string;
}

export interface LocationFlags {
  readonly adminBinding?: string;
  readonly connectionSecret?: string;
  readonly clusterIdConfigMap?: string;
  readonly credentialsSecret?: string;
}

export interface Locations {
  /** Absent: those of all resources. */
  readonly locations?: readonly CredentialsLocation[];
  /** For the manifests of InstanceMappings. */
  readonly credentialsSecret?: { readonly namespace: string; readonly name: string; readonly key: string };
}

/** @throws a terminal error if a flag is malformed or needs another one */
export function locationsOf(flags: LocationFlags): Locations {
  const { adminBinding, connectionSecret, clusterIdConfigMap } = flags;
  const secret = flags.credentialsSecret === undefined ? undefined : secretOf(flags.credentialsSecret);
  const own = secret === undefined ? {} : { credentialsSecret: secret };
  if (adminBinding === undefined) {
    for (const [flag, value] of Object.entries({ connectionSecret, clusterIdConfigMap })) {
      if (value === undefined) continue;
      const name = flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      throw new ProviderError('terminal', `--${name} is of use with --admin-binding only`);
    }
    return secret === undefined ? {} : { ...own, locations: [{ form: 'secret', secret }] };
  }
  const cluster = connectionSecret === undefined ? undefined : clusterOf(connectionSecret);
  return {
    ...own,
    locations: [
      {
        form: 'binding',
        binding: refOf('--admin-binding', adminBinding),
        ...(cluster === undefined ? {} : { cluster }),
        ...(clusterIdConfigMap === undefined
          ? {}
          : { clusterIdConfigMap: refOf('--cluster-id-config-map', clusterIdConfigMap) }),
      },
    ],
  };
}

function clusterOf(text: string) {
  const { key = 'kubeconfig', ...secret } = keyedRefOf('--connection-secret', text);
  return { secret, kubeconfigKey: key };
}

function secretOf(text: string) {
  const { key, ...secret } = keyedRefOf('--credentials-secret', text);
  if (key === undefined) throw malformed('--credentials-secret', text, 'NAMESPACE/NAME:KEY');
  return { ...secret, key };
}

function keyedRefOf(flag: string, text: string): ParsedRef {
  const [ref = '', key, ...rest] = text.split(':');
  if (rest.length > 0 || key === '') throw malformed(flag, text, 'NAMESPACE/NAME:KEY');
  return { ...refOf(flag, ref), ...(key === undefined ? {} : { key }) };
}

function refOf(flag: string, text: string): { readonly namespace: string; readonly name: string } {
  const [namespace, name, ...rest] = text.split('/');
  if (!namespace || !name || rest.length > 0 || text.includes(':')) {
    throw malformed(flag, text, 'NAMESPACE/NAME');
  }
  return { namespace, name };
}

const malformed = (flag: string, text: string, want: string) =>
  new ProviderError('terminal', `${flag} is ${JSON.stringify(text)}, want ${want}`);
