/** The Secret of one reconcile of a binding: whether others changed it, and its repair. */
import { ProviderError } from '../../../framework/base/index.ts';

import { type Informers, keyString, secrets } from '../../../framework/kube/index.ts';
import { bindingsOf, ownMarks } from '../caches.ts';
import { managedByLabel } from '../metadata.ts';
import { hide, setStatus } from '../operations/run.ts';
import { secretVersionOf } from '../secret-version.ts';
import type { ServiceBinding as SmBinding } from '../service-manager/index.ts';
import type { ServiceInstance } from '../serviceinstance/resource.ts';
import { observedGenerationOf, succeededOf } from '../status/conditions.ts';
import { type BindingRun, remember, type UnconnectedBindingRun } from './binding-run.ts';
import { secretCreated } from './messages.ts';
import type { ServiceBinding } from './resource.ts';
import { credentialTexts } from './secret/credentials.ts';
import { otherBindingText, SecretNameError } from './secret/errors.ts';
import { infoDigest } from './secret/instance-info.ts';
import { hasContent, recordOf } from './secret/secret-record.ts';
import { checkSecretName, isOwn, secretKeyOf, storeSecret, unlessMissing } from './secret/secret-store.ts';

/** Metadata of all Secrets of bindings. */
export const secretsOfBindings = (informers: Informers) =>
  informers.metadataOf(secrets, {
    selection: { labelSelector: `${managedByLabel}=true` },
    transform: ownMarks,
  });

/** The metadata of the Secret of a binding, as the watch shows them. */
export const knownSecret = (binding: ServiceBinding, { informers }: { readonly informers: Informers }) =>
  secretsOfBindings(informers).get(keyString(secretKeyOf(binding)));

/** `current`: as written last. `changed`: perhaps. */
export type SecretState = 'current' | 'changed' | 'missing';

/** Costs a GET only if the cache does not have the version that was written last. */
export async function secretState(run: UnconnectedBindingRun): Promise<SecretState> {
  const { object: binding, context } = run;
  const key = secretKeyOf(binding);
  const record = context.memory.get()?.secret;
  const known = record?.version ?? binding.status?.secretVersion;
  const cached = knownSecret(binding, context);
  if (cached !== undefined && secretVersionOf(cached) === known) return 'current';
  const secret = await unlessMissing(context.client.get(secrets, key, { signal: context.signal }));
  if (secret === undefined) return 'missing';
  if (!isOwn(secret, binding)) return 'changed';
  // The binding was created by another program: its Secret counts as unchanged, so that not all of them are written.
  if (known === undefined) setStatus(binding, { secretVersion: secretVersionOf(secret) });
  else if (record !== undefined && hasContent(secret, record))
    remember(run, { secret: { ...record, version: secretVersionOf(secret) } });
  else if (secretVersionOf(secret) !== known) return 'changed';
  return 'current';
}

/**
 * Whether the Secret has other data of the instance, such as its tags. Not while an edit of the instance may still be refused. The Secret of
 * another program counts as current.
 */
export function hasOldInfo(run: UnconnectedBindingRun, instance: ServiceInstance): boolean {
  const { object: binding, context } = run;
  if (!isSettled(instance)) return false;
  const info = infoDigest(instance);
  const known = binding.status?.instanceData ?? context.memory.get()?.info;
  if (known === undefined) remember(run, { info });
  return known !== undefined && known !== info;
}

/** Whether Service Manager has the instance as its spec says. */
export const isSettled = (instance: ServiceInstance): boolean =>
  succeededOf(instance)?.status === 'True' && observedGenerationOf(instance) === instance.metadata.generation;

/**
 * Writes the Secret, unless it has the content. Called after `guard.beforeWrite`.
 *
 * @returns whether something was written
 */
export async function writeSecret(run: BindingRun, found: SmBinding): Promise<boolean> {
  const { object: binding, instance, context, status } = run;
  if (instance === undefined) throw new ProviderError('bug', 'the Secret of a binding needs its instance');
  const { credentials } = found;
  if (credentials !== undefined) hide(run, credentialTexts(credentials));
  const content = await run.secrets.render({ binding, instance, credentials }, context.signal);
  context.guard.assertMayWrite();
  const isMissing = knownSecret(binding, context) === undefined;
  const options = { ...context, isMissing };
  const { outcome, secret } = await namingTaken(run, () => storeSecret(binding, content, options));
  remember(run, { secret: recordOf(secret, content) });
  const info = infoDigest(instance);
  remember(run, { info });
  setStatus(binding, { secretVersion: secretVersionOf(secret), instanceData: info });
  if (outcome === 'created') status.announce(secretCreated);
  return outcome !== 'unchanged';
}

/** How long a name counts as free, in ms: while a new binding waits for its slot in Service Manager. */
const NAME_FREE_MS = 5000;

/**
 * Costs a GET only if another object may have a Secret of that name. From then on it is kept for the binding.
 *
 * @throws an error that requests a reconcile when the Secret with the name changes
 */
export async function checkName(run: UnconnectedBindingRun): Promise<void> {
  const { object: binding, context } = run;
  const cached = knownSecret(binding, context);
  const isFree = cached === undefined ? await isNameFree(run) : isOwn(cached, binding);
  await namingTaken(run, async () => {
    if (!isFree) await checkSecretName(binding, context);
    claimName(run);
  });
}

/** @throws SecretNameError if another binding is being created whose Secret has the name */
function claimName({ object: binding, context, names }: UnconnectedBindingRun): void {
  const key = secretKeyOf(binding);
  const { name, uid = '' } = binding.metadata;
  const other = names.claim(key, { name, uid }, (claiming) => {
    const found = bindingsOf(context.informers).get(keyString({ ...key, name: claiming.name }));
    return found?.metadata.uid === claiming.uid && secretKeyOf(found).name === key.name;
  });
  if (other !== undefined) throw new SecretNameError(otherBindingText(key.name, other.name), undefined);
}

async function isNameFree(run: UnconnectedBindingRun): Promise<boolean> {
  const { object: binding, context, names } = run;
  const { monotonic } = context.clock;
  const { nameFreeAt = Number.NEGATIVE_INFINITY } = context.memory.get() ?? {};
  if (monotonic() - nameFreeAt < NAME_FREE_MS) return true;
  const isFree = await names.isFree(secretKeyOf(binding), context.signal);
  if (isFree) remember(run, { nameFreeAt: monotonic() });
  return isFree;
}

async function namingTaken<T>(
  { object: binding, objectWatcher }: UnconnectedBindingRun,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof SecretNameError)) throw error;
    const target = objectWatcher.target(secrets, secretKeyOf(binding), error.resourceVersion ?? '');
    throw new ProviderError('contested', error.message, { cause: error, targets: [target] });
  }
}
