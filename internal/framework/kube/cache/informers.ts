import { WaitingError } from '../../base/errors/errors.ts';
import type { PartialObject, Selection } from '../client/client.ts';
import type { KubeObject } from '../object/object.ts';
import { apiVersionOf, groupResource, type ResourceType } from '../object/resource-type.ts';
import type { CacheProblem } from './cache.ts';
import {
  createInformer,
  createMetadataInformer,
  type Informer,
  type InformerOptions,
  type StoppableInformer,
} from './informer.ts';

export interface SharedInformerOptions<T> {
  /** Default: everything. */
  readonly selection?: Selection;
  /** As in `InformerOptions`. Informers with different functions are not shared. */
  readonly transform?: (object: T) => T;
}

/**
 * The informers of one cluster, shared by all controllers: one for each type, selection and transform function. An
 * informer follows the API server while at least one of its users has started it.
 */
export interface Informers {
  of<T extends KubeObject>(type: ResourceType<T>, options?: SharedInformerOptions<T>): Informer<T>;
  /** An informer of metadata only, for types whose content must not be in memory, such as Secrets. */
  metadataOf(type: ResourceType, options?: SharedInformerOptions<PartialObject>): Informer<PartialObject>;
}

/** The informers of a cluster, for its owner. */
interface ClosableInformers extends Informers {
  /** The longest problem, if all that are started have one. */
  problem(): CacheProblem | undefined;
  /** Calls `listener` when there is a problem and when it has ended, until the returned function is called. */
  onProblem(listener: () => void): () => void;
  /** Ends all that are started. */
  close(): void;
}

type OwnedInformer = Pick<StoppableInformer<KubeObject>, 'isStarted' | 'problem' | 'stop'>;

export function createInformers(
  options: Omit<InformerOptions<KubeObject>, 'type' | 'selection' | 'transform' | 'onProblem'>,
): ClosableInformers {
  const informers: {
    readonly id: string;
    readonly transform: unknown;
    readonly informer: OwnedInformer;
  }[] = [];
  const shared = <I extends OwnedInformer>(id: string, transform: unknown, create: () => I): I => {
    const found = informers.find((each) => each.id === id && each.transform === transform);
    if (found !== undefined) return found.informer as I;
    const informer = create();
    informers.push({ id, transform, informer });
    return informer;
  };
  const problem = () => {
    const started = informers.flatMap(({ informer }) => (informer.isStarted() ? [informer.problem()] : []));
    const problems = started.flatMap((each) => (each === undefined || each.kindMissing ? [] : [each]));
    if (problems.length < started.length) return undefined;
    return problems.sort((a, b) => b.forMs - a.forMs)[0];
  };
  const listeners = new Set<() => void>();
  let hadProblem = false;
  const onProblem = () => {
    const hasProblem = problem() !== undefined;
    if (hasProblem === hadProblem) return;
    hadProblem = hasProblem;
    for (const listener of listeners) listener();
  };
  const common = { ...options, onProblem };
  return {
    of: <T extends KubeObject>(
      type: ResourceType<T>,
      { selection = {}, transform }: SharedInformerOptions<T> = {},
    ) =>
      shared(idOf('full', type, selection), transform, () =>
        createInformer<T>({ ...common, type, selection, ...(transform ? { transform } : {}) }),
      ),
    metadataOf: (type, { selection = {}, transform } = {}) =>
      shared(idOf('metadata', type, selection), transform, () =>
        createMetadataInformer({ ...common, type, selection, ...(transform ? { transform } : {}) }),
      ),
    problem,
    onProblem: (listener) => {
      const own = () => listener();
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
    close: () => {
      for (const { informer } of informers) informer.stop();
    },
  };
}

const idOf = (
  shape: string,
  type: ResourceType,
  { namespace, labelSelector, fieldSelector }: Selection,
): string =>
  JSON.stringify([shape, apiVersionOf(type), groupResource(type), namespace, labelSelector, fieldSelector]);

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
