import { ProviderError, wrap } from '../../base/errors/errors.ts';
import { ownMember } from '../../base/json/json-value.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isNotFound } from '../../kube/errors/errors.ts';
import { nameProblem, type ObjectKey } from '../../kube/object/object.ts';
import { secrets } from '../../kube/object/resource-type.ts';
import * as messages from './model/messages.ts';

/** `spec.credentials` of a configuration: the source of the credentials and a selector for it. */
export interface CredentialSelectors {
  readonly source: string;
  readonly env?: { readonly name: string };
  readonly fs?: { readonly path: string };
  /** Without namespace in a namespaced configuration, which uses its own. */
  readonly secretRef?: { readonly namespace?: string; readonly name: string; readonly key: string };
}

/** Reads the credentials of a source that only the provider supports. */
export type CredentialHandler<S extends CredentialSelectors = CredentialSelectors> = (
  selectors: S,
  access: CredentialAccess<S>,
) => Promise<Uint8Array>;

export interface CredentialAccess<S extends CredentialSelectors = CredentialSelectors> {
  readonly client: KubeClient;
  readonly env: NodeJS.ProcessEnv;
  readonly readFile: (path: string, signal: AbortSignal) => Promise<Uint8Array>;
  /**
   * The namespace of a namespaced configuration. Its Secret is read from there, whatever the reference says;
   * otherwise a tenant could read the Secrets of others. Environment and files belong to the provider and are
   * refused.
   */
  readonly namespace?: string;
  /** Handlers by source, for sources that Crossplane does not define. Default: none. */
  readonly handlers?: ReadonlyMap<string, CredentialHandler<S>>;
  /**
   * Called for the source `Secret`, when the Secret was read, with its resource version; `absent` if there is none. Default: nothing
   * is called.
   */
  readonly onSecret?: (key: ObjectKey, readVersion: string) => void;
  readonly signal: AbortSignal;
}

type Base = Omit<CredentialAccess, 'handlers'>;

const nothing = new Uint8Array();

/**
 * Reads the credentials of a configuration; empty for the source `None` and for a missing variable or key. A source
 * without a handler is refused. Errors never contain credentials.
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
  const namespace = access.namespace || secretRef?.namespace;
  if (secretRef === undefined || namespace === undefined) throw incomplete(messages.noSecretKeyText);
  const { key } = secretRef;
  const secretKey = { name: secretRef.name, namespace };
  try {
    const { data, metadata } = await access.client.get(secrets, secretKey, { signal: access.signal });
    access.onSecret?.(secretKey, metadata.resourceVersion ?? '');
    const value = ownMember(data, key);
    return value === undefined ? nothing : Buffer.from(value, 'base64');
  } catch (error) {
    if (isNotFound(error)) access.onSecret?.(secretKey, 'absent');
    const problem = isNotFound(error) ? nameProblem(secretRef.name, 'a Secret') : undefined;
    if (problem !== undefined) throw incomplete(`cannot get credentials secret: ${problem}`);
    throw wrap(error, 'cannot get credentials secret');
  }
}

/** Only a change of the configuration can help. */
const incomplete = (text: string) => new ProviderError('terminal', text);
