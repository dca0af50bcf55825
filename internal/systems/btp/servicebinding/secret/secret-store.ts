/**
 * The Secret of a ServiceBinding in the cluster. It belongs to the binding that its owner references name as controller, by
 * uid. No other Secret is changed or deleted.
 */
import {
  type ServiceBinding,
  serviceBindings,
} from '../../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { jsonEqual } from '../../../../framework/base/index.ts';

import { writtenMarks } from '../../../../framework/kube/apply/owned-fields.ts';
import {
  asController,
  controllerOf,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ObjectKey,
  type OwnerReference,
  type Secret,
  secrets,
} from '../../../../framework/kube/index.ts';
import { controllerRecord } from '../../../../framework/kube/object/ownership.ts';
import { recordedOwnership } from '../../../../framework/ownership/ownership.ts';
import type { SecretContent } from './assemble-content.ts';
import { DESCRIPTION, describesTheSame } from './description.ts';
import { nameTakenText, otherBindingText, SecretNameError } from './errors.ts';

export interface SecretStoreOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
}

export interface StoreOptions extends SecretStoreOptions {
  /** Probably there is no Secret of that name, so that it is created without being read first. Default false. */
  readonly isMissing?: boolean;
}

export interface StoredSecret {
  readonly outcome: 'created' | 'replaced' | 'unchanged';
  readonly secret: Secret;
}

/** Others that write the same Secret are users and clean-up jobs, so conflicts are rare. */
const ATTEMPTS = 4;

/** The webhook defaults the name; it may be off. */
export const secretKeyOf = ({ metadata, spec }: ServiceBinding): ObjectKey => ({
  namespace: metadata.namespace,
  name: spec.secretName || metadata.name,
});

/**
 * Before a binding is created in Service Manager. Reads metadata only.
 *
 * @throws SecretNameError if another object has a Secret of that name
 */
export async function checkSecretName(
  binding: ServiceBinding,
  { client, signal }: SecretStoreOptions,
): Promise<void> {
  const found = await unlessMissing(client.getMetadata(secrets, secretKeyOf(binding), { signal }));
  if (found !== undefined) assertOwn(found, binding);
}

/**
 * Creates the Secret, or replaces data, labels and annotations of the binding's own. Labels, annotations and owner references of others
 * stay. A Secret that has the content already is not written.
 *
 * @throws SecretNameError if another object has a Secret of that name
 */
export async function storeSecret(
  binding: ServiceBinding,
  content: SecretContent,
  options: StoreOptions,
): Promise<StoredSecret> {
  for (let attempt = 1; ; attempt++) {
    try {
      const isMissing = attempt === 1 && options.isMissing === true;
      return await store(binding, content, { ...options, isMissing });
    } catch (error) {
      // Created, replaced or deleted by others since it was read.
      const changed = isConflict(error) || isAlreadyExists(error) || isNotFound(error);
      if (!changed || attempt === ATTEMPTS) throw error;
    }
  }
}

async function store(
  binding: ServiceBinding,
  content: SecretContent,
  { client, signal, isMissing }: Required<StoreOptions>,
): Promise<StoredSecret> {
  const key = secretKeyOf(binding);
  const create = (ownerReferences: OwnerReference[]): Promise<Secret> => {
    const empty: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { ...key, ownerReferences } };
    return client.create(secrets, withContent(empty, content), { signal });
  };
  const found = isMissing ? undefined : await unlessMissing(client.get(secrets, key, { signal }));
  if (found === undefined) return { outcome: 'created', secret: await create([asController(binding)]) };
  assertOwn(found, binding);
  const secret = withContent(found, withMarks(content, found));
  if (jsonEqual(contentOf(found), contentOf(secret))) return { outcome: 'unchanged', secret: found };
  if (found.immutable !== true && typeOf(found) === content.type) {
    return { outcome: 'replaced', secret: await client.update(secrets, secret, { signal }) };
  }
  // The API server refuses to change them.
  await client.delete(secrets, key, { signal, preconditions: preconditionsOf(found) });
  return { outcome: 'replaced', secret: await create(found.metadata.ownerReferences ?? []) };
}

function withContent({ immutable: _, ...secret }: Secret, content: SecretContent): Secret {
  return {
    ...secret,
    metadata: { ...secret.metadata, labels: { ...content.labels }, annotations: { ...content.annotations } },
    type: content.type,
    ...(content.immutable ? { immutable: true } : {}),
    data: { ...content.data },
  };
}

/** The content with the labels and annotations that others have added, and with the same description in another order. */
function withMarks(content: SecretContent, found: Secret): SecretContent {
  const { metadata, data = {} } = found;
  const own = writtenMarks(found);
  const { [DESCRIPTION]: known } = data;
  const { [DESCRIPTION]: wanted } = content.data;
  const isSame = known !== undefined && wanted !== undefined && describesTheSame(known, wanted);
  return {
    ...content,
    labels: { ...without(metadata.labels, own.labels), ...content.labels },
    annotations: { ...without(metadata.annotations, own.annotations), ...content.annotations },
    data: isSame ? { ...content.data, [DESCRIPTION]: known } : content.data,
  };
}

const without = (marks: Readonly<Record<string, string>> = {}, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(marks).filter(([name]) => !names.has(name)));

/** An absent map is an empty one. */
const contentOf = ({ metadata, data = {}, ...secret }: Secret) => [
  typeOf({ metadata, ...secret }),
  secret.immutable ?? false,
  metadata.labels ?? {},
  metadata.annotations ?? {},
  data,
];

const typeOf = ({ type = 'Opaque' }: Secret): string => type;

/** With the version, a Secret that was given to another owner since it was read is a conflict. */
function preconditionsOf({ metadata: { uid, resourceVersion } }: KubeObject) {
  return { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
}

/**
 * Deletes the Secret of the binding. A Secret of another object stays.
 *
 * @param known its metadata as a watch shows them; it is read if they are outdated
 * @returns whether there was one to delete
 */
export async function deleteSecret(
  binding: ServiceBinding,
  { client, signal }: SecretStoreOptions,
  known?: KubeObject,
): Promise<boolean> {
  const key = secretKeyOf(binding);
  const read = () => unlessMissing(client.getMetadata(secrets, key, { signal }));
  for (let attempt = 1; ; attempt++) {
    const isKnown = attempt === 1 && known !== undefined && isOwn(known, binding);
    const found = isKnown ? known : await read();
    if (found === undefined || !isOwn(found, binding)) return false;
    try {
      await client.delete(secrets, key, { signal, preconditions: preconditionsOf(found) });
      return true;
    } catch (error) {
      if (!(isConflict(error) || isNotFound(error)) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Whether the Secret belongs to the binding. */
export function isOwn(secret: KubeObject, { kind, metadata }: ServiceBinding): boolean {
  const { namespace, name, uid } = metadata;
  // One of the same name before it is another binding.
  return (
    uid !== undefined &&
    recordedOwnership({ kind, namespace, name, uid }, controllerRecord(secret)).state === 'own'
  );
}

function assertOwn(secret: KubeObject, binding: ServiceBinding): void {
  if (isOwn(secret, binding)) return;
  const owner = controllerOf(secret);
  const { name, resourceVersion } = secret.metadata;
  const isBinding =
    owner?.kind === serviceBindings.kind && owner.apiVersion.split('/')[0] === serviceBindings.group;
  const text = isBinding ? otherBindingText(name, owner.name) : nameTakenText(name);
  throw new SecretNameError(text, resourceVersion);
}

/** The object of a read; undefined if it does not exist. */
export async function unlessMissing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
