import type { Deps } from '../../../../../framework/base/deps.ts';
import { findCause, kindOf, messageOf, ProviderError } from '../../../../../framework/base/errors/errors.ts';
import { sleep } from '../../../../../framework/base/time/clock.ts';
import type { KubeClient } from '../../../../../framework/kube/client/client.ts';
import type { KubeObject } from '../../../../../framework/kube/object/object.ts';
import type { ManagedCluster } from '../../model/managed-cluster.ts';
import { type AppliedState, COMPLETE } from '../inventory/inventory.ts';
import { FIELD_MANAGER } from '../managed-fields.ts';
import { nameOf, type PreparedObject } from '../prepared-object.ts';
import { adoptFields } from './adopt-fields.ts';
import { asImmutable } from './apply-error.ts';
import { applyRepeated } from './apply-repeated.ts';
import { exactly, hasForeignFields } from './foreign-fields.ts';
import { appliedState, hashOf } from './hashes.ts';
import { isCurrent } from './is-current.ts';
import type { LiveMetadata } from './live-metadata.ts';
import { moveFields } from './move-fields.ts';
import { type RepeatedItems, repeatedItemsIn } from './repeated-items.ts';
import { strategyOf } from './strategy.ts';
import { withoutUnknownFields } from './unknown-fields.ts';

export interface ApplyOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly cluster: Pick<ManagedCluster, 'client' | 'name'>;
  readonly signal: AbortSignal;
  readonly live: LiveMetadata;
}

export interface AppliedObject {
  /** Whether a request that writes was sent. */
  readonly isChanged: boolean;
  readonly state: AppliedState | undefined;
}

/** Attempts for one object. Webhooks and CRDs of the same chart may not be ready yet. */
const TRIES = 10;
/** The first delay between them, in ms; it doubles. */
const BASE_MS = 250;
const MAX_MS = 8000;

/**
 * Applies an object unless that would change nothing.
 *
 * @param before what the inventory has of it
 * @throws ImmutableFieldError, and what the API server refuses; the message names the object
 */
export async function applyObject(
  prepared: PreparedObject,
  before: AppliedState | undefined,
  options: ApplyOptions,
): Promise<AppliedObject> {
  const { clock, signal } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      const look = attempt === 1 ? options.live.find : options.live.read;
      return await applyOnce(prepared, { before, look }, options);
    } catch (error) {
      signal.throwIfAborted();
      const immutable = asImmutable(prepared.object, error);
      if (immutable !== undefined) throw immutable;
      if (attempt >= TRIES || !mayPass(error)) throw error;
      const askedMs = findCause(error, ProviderError)?.retryAfterMs ?? 0;
      await sleep(clock, Math.max(askedMs, Math.min(BASE_MS * 2 ** (attempt - 1), MAX_MS)), signal);
    }
  }
}

/** A namespace or kind that is not found may just have been created. An object that does not fit its schema never will. */
const mayPass = (error: unknown): boolean =>
  ['transient', 'throttled', 'conflict', 'not-found'].includes(kindOf(error)) &&
  !messageOf(error).includes('failed to create typed patch object');

async function applyOnce(
  prepared: PreparedObject,
  { before, look }: { readonly before: AppliedState | undefined; readonly look: LiveMetadata['find'] },
  { cluster: { client, name }, signal, log }: ApplyOptions,
): Promise<AppliedObject> {
  const { object, type } = prepared;
  const strategy = strategyOf(type);
  const sent = await hashOf(object);
  if (before?.sent === sent && before.owned === COMPLETE) return { isChanged: false, state: before };
  if (strategy === 'keep' || before?.sent === sent || isBareNamespace(object)) {
    const live = await look(prepared);
    if (live !== undefined) {
      const state = await appliedState(sent, live);
      // All of a bare namespace is in its metadata.
      const applied = isBareNamespace(object) ? state : before;
      if (strategy === 'keep' || (await isCurrent(object, live, { sent, applied, strategy })))
        return { isChanged: false, state: state ?? before };
    }
  }
  const onLeniency = (message: string, paths: readonly string[]) =>
    log.info(message, { cluster: name, object: nameOf(object), fields: paths.join(', ') });
  const { body, live: applied, write } = await applyLeniently(prepared, { client, signal, onLeniency });
  let live = applied;
  if (before === undefined && (await adoptFields(client, type, live, signal))) live = await write();
  if (strategy === 'exact' && hasForeignFields(live))
    live = await client.update(type, exactly(body, live), { signal });
  return { isChanged: true, state: await appliedState(sent, live) };
}

/** Refusals name the first fields alone. */
const MAX_ROUNDS = 10;

interface Applied {
  /** The object without fields that its kind does not have. */
  readonly body: KubeObject;
  readonly live: KubeObject;
  /** Applies the body again. */
  readonly write: () => Promise<KubeObject>;
}

interface LenientOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  readonly onLeniency: (message: string, paths: readonly string[]) => void;
}

/** Applies what a creation accepts, though server-side apply refuses it. */
async function applyLeniently(
  { type, object }: PreparedObject,
  { client, signal, onLeniency }: LenientOptions,
): Promise<Applied> {
  let body = object;
  let repeated: readonly RepeatedItems[] = [];
  for (let round = 1; ; round++) {
    const write = (known = body, items = repeated) =>
      items.length > 0
        ? applyRepeated(client, { type, object: known, repeated: items, signal })
        : client.apply(type, known, { fieldManager: FIELD_MANAGER, force: true, signal });
    try {
      return { body, live: await write(), write };
    } catch (error) {
      if (round === MAX_ROUNDS) throw error;
      if (await moveFields(client, type, { object, refusal: error, signal })) continue;
      const known = withoutUnknownFields(body, error);
      const more = repeatedItemsIn(error);
      if (known === undefined && more.length === 0) throw error;
      if (known !== undefined) {
        onLeniency('fields that the kind of an object does not have are left out', known.paths);
        body = known.object;
      }
      if (more.length > 0) {
        const paths = more.map(({ list, key }) => list + key);
        onLeniency('items of an object have the same key; clusters may use the last one alone', paths);
        repeated = [...repeated, ...more];
      }
    }
  }
}

/** A namespace in which only labels and annotations are set, as of a component without one in its chart. */
const isBareNamespace = ({ apiVersion, kind, metadata, ...others }: KubeObject): boolean =>
  apiVersion === 'v1' &&
  kind === 'Namespace' &&
  Object.keys(others).length === 0 &&
  metadata.finalizers === undefined;
