/** A watcher whose API server the test controls. */
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import type { KubeClient, PartialObject } from '../client/client.ts';
import { KubeApiError, parseApiStatus, UnreachableError } from '../errors/errors.ts';
import { type ControlledWatches, createControlledWatches } from '../fakes/controlled-watches.ts';
import { createMemoryClient } from '../fakes/memory-client.ts';
import { type ResourceType, secrets } from '../object/resource-type.ts';
import { createObjectWatcher, type ObjectWatcher } from './object-watcher.ts';

const attempt = { verb: 'watch', object: 'secrets', clusterName: 'cluster test' };
export const answered = (code: number, name?: string) =>
  new KubeApiError(attempt, {
    httpStatus: code,
    status: parseApiStatus(
      JSON.stringify({ kind: 'Status', code, details: name === undefined ? undefined : { name } }),
    ),
  });
export const cut = new UnreachableError(attempt, 'cut');

const partial = (name: string, version: string): PartialObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'shop', resourceVersion: version },
});
export const event = (
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK',
  name: string,
  version: string,
) => ({ type, object: partial(name, version) });
type Event = ReturnType<typeof event>;

export interface WatcherHarness {
  readonly clock: FakeClock;
  readonly watches: ControlledWatches<PartialObject>;
  readonly client: KubeClient;
  readonly objectWatcher: ObjectWatcher;
  /** Answers of metadata GETs by name; the default is not found. */
  readonly versions: Map<string, string>;
  /** Fails every metadata GET. */
  refusal: Error | undefined;
  /** The names of metadata GETs. */
  readonly gets: string[];
  /** The requests of watches. */
  readonly watched: string[];
  /** Subscribes and counts notifications. */
  observe(
    name: string,
    seen: string,
    options?: { poll?: boolean; type?: ResourceType; namespace?: string },
  ): ReturnType<ObjectWatcher['watch']> & { readonly changes: { times: number } };
  /** The server accepts the watch and gives its account. */
  open(...events: Event[]): Promise<void>;
  settled(...events: Event[]): Promise<void>;
}

export function createWatcherHarness(): WatcherHarness {
  const clock = createFakeClock();
  const watches = createControlledWatches<PartialObject>();
  const versions = new Map<string, string>();
  const gets: string[] = [];
  const watched: string[] = [];
  const client: KubeClient = {
    ...createMemoryClient({ clock, clusterName: 'cluster test' }),
    watchMetadata: (type, options = {}) => {
      watched.push(`${type.plural} ${options.namespace ?? ''} ${options.resourceVersion ?? 'fresh'}`);
      return watches.watch(options);
    },
    getMetadata: async (_type, { name }) => {
      gets.push(name);
      if (harness.refusal) throw harness.refusal;
      const version = versions.get(name);
      if (version === undefined) throw answered(404, name);
      return partial(name, version);
    },
  };
  const objectWatcher = createObjectWatcher({ client, clock, random: () => 0.5 });
  const open = async (...events: Event[]) => {
    await clock.advance(0);
    watches.latest().open();
    watches.latest().send(...events);
    await clock.advance(0);
  };
  const harness: WatcherHarness = {
    clock,
    watches,
    client,
    objectWatcher,
    versions,
    refusal: undefined,
    gets,
    watched,
    observe: (name, seen, { type = secrets, namespace = 'shop', poll = true } = {}) => {
      const changes = { times: 0 };
      const onChange = () => changes.times++;
      return { changes, ...objectWatcher.watch(type, { namespace, name }, seen, onChange, { poll }) };
    },
    open,
    settled: async (...events) => {
      await open(...events);
      await clock.advance(500);
    },
  };
  return harness;
}
