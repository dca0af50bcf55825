import { messageOf, ProviderError, WaitingError, wrap } from '../../base/errors/errors.ts';
import { type KubeClient, type NextPage, pagesOf } from '../../kube/client/client.ts';
import { isNotFound } from '../../kube/errors/errors.ts';
import { type KubeObject, keyOf, keyString, nameProblem, type ObjectKey } from '../../kube/object/object.ts';
import { haveSameController } from '../../kube/object/ownership.ts';
import { groupResource, secrets } from '../../kube/object/resource-type.ts';
import type { ObjectWatcher } from '../../kube/watched-objects/object-watcher.ts';
import {
  messageForeignSecret,
  messageNoMatches,
  messageNoValue,
  type Reference,
  type ReferenceTarget,
  type Selector,
} from './reference.ts';

/** Reads targets of references. */
export interface TargetReader {
  /** `undefined` if it does not exist and is optional. @throws WaitingError if it does not exist and is required */
  get<T extends KubeObject>(
    to: ReferenceTarget<T>,
    ref: Reference,
    optional: boolean,
  ): Promise<T | undefined>;
  /** Objects that the selector matches, unordered. */
  select<T extends KubeObject>(to: ReferenceTarget<T>, selector: Selector): AsyncIterable<T>;
  /** The error for a target without a value: the resource waits for a change of the target. */
  hasNoValue<T extends KubeObject>(to: ReferenceTarget<T>, object: T): WaitingError;
  /** The error for a selector that matches nothing. No watch reports a match, so the resource tries again with backoff. */
  matchesNothing(): WaitingError;
}

export interface TargetReaderOptions {
  readonly client: KubeClient;
  /** The referring object. */
  readonly from: KubeObject;
  readonly signal: AbortSignal;
  /** A resource that waits for a target is reconciled when the target changes. Default: it tries again with backoff. */
  readonly objectWatcher?: Pick<ObjectWatcher, 'target'> | undefined;
}

export function createTargetReader(options: TargetReaderOptions): TargetReader {
  const { client, from, signal, objectWatcher } = options;
  const waiting = (
    message: string,
    { type }: Pick<ReferenceTarget, 'type'>,
    key: ObjectKey,
    version: string,
  ) =>
    new WaitingError(message, {
      targets: objectWatcher === undefined ? [] : [objectWatcher.target(type, key, version)],
      retry: objectWatcher === undefined,
    });
  const namespaceOf = ({ type }: Pick<ReferenceTarget, 'type'>, named: string | undefined) => {
    const { namespace: own } = from.metadata;
    const namespace = type.namespaced ? (named ?? own) : undefined;
    // Otherwise a value of a Secret would appear in the spec of a user who may not read the Secret.
    if (groupResource(type) === groupResource(secrets) && own !== undefined && namespace !== own) {
      throw new ProviderError('terminal', messageForeignSecret(own));
    }
    return namespace;
  };
  return {
    get: async <T extends KubeObject>(to: ReferenceTarget<T>, ref: Reference, optional: boolean) => {
      const namespace = namespaceOf(to, ref.namespace);
      if (to.type.namespaced && namespace === undefined) {
        throw new ProviderError(
          'terminal',
          `the reference to ${to.type.kind} ${ref.name} names no namespace`,
        );
      }
      const key = namespace === undefined ? { name: ref.name } : { name: ref.name, namespace };
      try {
        return await client.get(to.type, key, { signal });
      } catch (error) {
        if (optional && isNotFound(error)) return undefined;
        if (!isNotFound(error)) throw wrap(error, 'cannot get referenced resource');
        const problem = nameProblem(ref.name, `a ${to.type.kind}`);
        if (problem !== undefined)
          throw new ProviderError('terminal', `cannot get referenced resource: ${problem}`);
        throw waiting(`cannot get referenced resource: ${messageOf(error)}`, to, key, 'absent');
      }
    },
    select: async function* <T extends KubeObject>(to: ReferenceTarget<T>, selector: Selector) {
      const namespace = namespaceOf(to, selector.namespace);
      const selection = {
        labelSelector: labelSelectorOf(selector),
        ...(namespace === undefined ? {} : { namespace }),
      };
      const list = (next: NextPage) =>
        client.list(to.type, { ...selection, ...next, signal }).catch((error: unknown) => {
          throw wrap(error, 'cannot list resources that match selector');
        });
      for await (const objects of pagesOf(list))
        yield* objects.filter((object) => !selector.matchControllerRef || haveSameController(from, object));
    },
    hasNoValue: (to, object) => {
      const key = keyOf(object);
      const message = `${messageNoValue}: ${to.type.kind} ${keyString(key)}`;
      return waiting(message, to, key, object.metadata.resourceVersion ?? 'absent');
    },
    matchesNothing: () => new WaitingError(messageNoMatches, { retry: true }),
  };
}

function labelSelectorOf({ matchLabels = {} }: Selector): string {
  return Object.entries(matchLabels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
