import { ProviderError, wrap } from '../../base/errors/errors.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { type NextPage, pagesOf } from '../../kube/client/pages.ts';
import { isNotFound } from '../../kube/errors/errors.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import { nameProblem } from '../../kube/object/object-name.ts';
import { haveSameController } from '../../kube/object/ownership.ts';
import { groupResource, secrets } from '../../kube/object/resource-type.ts';
import { messageForeignSecret, type Reference, type ReferenceTarget, type Selector } from './reference.ts';

/** Reads targets of references. */
export interface TargetReader {
  /** `undefined` if it does not exist and is optional. */
  get<T extends KubeObject>(
    to: ReferenceTarget<T>,
    ref: Reference,
    optional: boolean,
  ): Promise<T | undefined>;
  /** Objects that the selector matches, unordered. */
  select<T extends KubeObject>(to: ReferenceTarget<T>, selector: Selector): AsyncIterable<T>;
}

export interface TargetReaderOptions {
  readonly client: KubeClient;
  /** The referring object. */
  readonly from: KubeObject;
  readonly signal: AbortSignal;
}

export function createTargetReader({ client, from, signal }: TargetReaderOptions): TargetReader {
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
        const problem = isNotFound(error) ? nameProblem(ref.name, `a ${to.type.kind}`) : undefined;
        if (problem !== undefined)
          throw new ProviderError('terminal', `cannot get referenced resource: ${problem}`);
        throw wrap(error, 'cannot get referenced resource');
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
  };
}

function labelSelectorOf({ matchLabels = {} }: Selector): string {
  return Object.entries(matchLabels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
