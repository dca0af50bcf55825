import { ProviderError, wrap } from '../../base/errors/errors.ts';
import { ownMember } from '../../base/json/json-field.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { secrets } from '../../kube/object/resource-type.ts';
import * as messages from './messages.ts';

/** `spec.credentials` of a configuration: where the credentials are, and which. */
export interface CredentialSelectors {
  readonly source: string;
  readonly env?: { readonly name: string };
  readonly fs?: { readonly path: string };
  readonly secretRef?: { readonly namespace: string; readonly name: string; readonly key: string };
}

/** Reads the credentials of a source that only the provider understands. */
export type CredentialHandler<S extends CredentialSelectors = CredentialSelectors> = (
  selectors: S,
  access: CredentialAccess<S>,
) => Promise<Uint8Array>;

export interface CredentialAccess<S extends CredentialSelectors = CredentialSelectors> {
  readonly client: KubeClient;
  readonly env: NodeJS.ProcessEnv;
  readonly readFile: (path: string, signal: AbortSignal) => Promise<Uint8Array>;
  /**
   * The namespace of a namespaced configuration: its Secret is looked for there, whatever the reference says, since
   * a tenant could else read the Secrets of all others. Environment and files are the provider's own, and closed to it.
   */
  readonly namespace?: string;
  /** By source, for those that are not Crossplane's own. Default: none. */
  readonly handlers?: ReadonlyMap<string, CredentialHandler<S>>;
  readonly signal: AbortSignal;
}

type Base = Omit<CredentialAccess, 'handlers'>;

const nothing = new Uint8Array();

/**
 * The credentials that a configuration points to, read afresh; empty for the source `None` and for a variable or
 * key that is not there. A source without a handler is refused. What is thrown never holds any of what was read.
 */
export async function extractCredentials<S extends CredentialSelectors>(
  selectors: S,
  access: CredentialAccess<S>,
): Promise<Uint8Array> {
  switch (selectors.source) {
    case 'None':
      return nothing;
    case 'Environment':
      return fromEnvironment(selectors, access);
    case 'Filesystem':
      return fromFile(selectors, access);
    case 'Secret':
      return fromSecret(selectors, access);
    default: {
      const handler = access.handlers?.get(selectors.source);
      if (handler === undefined) throw incomplete(messages.noHandlerText(selectors.source));
      return handler(selectors, access);
    }
  }
}

function fromEnvironment(
  { env: selector, source }: CredentialSelectors,
  { env, namespace }: Base,
): Uint8Array {
  if (namespace) throw incomplete(messages.notInNamespaceText(source));
  if (selector === undefined) throw incomplete(messages.noEnvText);
  return new TextEncoder().encode(ownMember(env, selector.name) ?? '');
}

async function fromFile({ fs, source }: CredentialSelectors, access: Base): Promise<Uint8Array> {
  if (access.namespace) throw incomplete(messages.notInNamespaceText(source));
  if (fs === undefined) throw incomplete(messages.noPathText);
  try {
    return await access.readFile(fs.path, access.signal);
  } catch (error) {
    throw wrap(error, 'cannot read credentials file');
  }
}

async function fromSecret({ secretRef }: CredentialSelectors, access: Base): Promise<Uint8Array> {
  if (secretRef === undefined) throw incomplete(messages.noSecretKeyText);
  const { name, key, namespace } = {
    ...secretRef,
    ...(access.namespace ? { namespace: access.namespace } : {}),
  };
  try {
    const { data } = await access.client.get(secrets, { name, namespace }, { signal: access.signal });
    const value = ownMember(data, key);
    return value === undefined ? nothing : Buffer.from(value, 'base64');
  } catch (error) {
    throw wrap(error, 'cannot get credentials secret');
  }
}

/** Only a change of the configuration can help. */
const incomplete = (text: string) => new ProviderError('terminal', text);
