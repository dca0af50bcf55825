import { WaitingError } from '../../base/errors/errors.ts';
import type { KubeObject } from '../object/object.ts';
import { groupResource, type ResourceType } from '../object/resource-type.ts';
import type { Informer } from './informer.ts';
import type { Informers } from './informers.ts';

/**
 * The same informers for reconciles: `get` and `list` throw a WaitingError while an informer that is started has not had its
 * first list. The first list is the watched object.
 */
export function readable(informers: Informers): Informers {
  const guards = new WeakMap<object, unknown>();
  const guarded = <T extends KubeObject>(type: ResourceType, informer: Informer<T>): Informer<T> => {
    const found = guards.get(informer) ?? guard(type, informer);
    guards.set(informer, found);
    return found as Informer<T>;
  };
  return {
    of: (type, options) => guarded(type, informers.of(type, options)),
    metadataOf: (type, options) => guarded(type, informers.metadataOf(type, options)),
  };
}

function guard<T extends KubeObject>(type: ResourceType, informer: Informer<T>): Informer<T> {
  const assertListed = () => {
    if (informer.hasSynced() || !informer.isStarted()) return;
    const description = `${groupResource(type)} of ${informer.cluster.displayName}`;
    const problem = informer.problem();
    const why = problem === undefined ? '' : `: ${problem.text}`;
    throw new WaitingError(`${description} are not listed yet${why}`, {
      targets: [{ description, watch: (onChange) => onFirstList(informer, onChange) }],
    });
  };
  return {
    ...informer,
    get: (key) => {
      assertListed();
      return informer.get(key);
    },
    list: () => {
      assertListed();
      return informer.list();
    },
  };
}

function onFirstList(
  { whenSynced }: Pick<Informer<KubeObject>, 'whenSynced'>,
  onChange: () => void,
): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  whenSynced(signal).then(
    () => signal.aborted || onChange(),
    () => undefined,
  );
  return () => stop.abort();
}
