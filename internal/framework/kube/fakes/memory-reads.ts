import { cloneJson } from '../../base/json/clone-json.ts';
import type { KubeClient, ListOptions, Page, WatchEvent, WatchOptions } from '../client/client.ts';
import type { KubeObject } from '../object/object.ts';
import { apiVersionOf, type ResourceType } from '../object/resource-type.ts';
import type { MemoryCluster } from './memory-cluster.ts';
import type { AnyObject } from './memory-store.ts';
import { selectorOf } from './selector.ts';

type Reads = Pick<KubeClient, 'get' | 'getMetadata' | 'list' | 'listMetadata' | 'watch' | 'watchMetadata'>;

const DEFAULT_LIMIT = 500;

/** The reading requests of a memory client. */
export function memoryReads(cluster: MemoryCluster): Reads {
  /** The rest of lists, by the token with which they continue. */
  const pages = new Map<string, { readonly items: readonly AnyObject[]; readonly version: number }>();
  const list = async <T extends KubeObject>(
    type: ResourceType<T>,
    options: ListOptions,
    view: (object: KubeObject) => KubeObject,
  ): Promise<Page<T>> => {
    await cluster.receive({ verb: 'list', type }, options);
    const refuse = cluster.refusing('list', type);
    const wanted = selectorOf(options, (message) => refuse(400, 'BadRequest', message));
    knownVersion(cluster, options.resourceVersion);
    const { continue: token = '', limit = DEFAULT_LIMIT } = options;
    const { items, version } =
      token === ''
        ? { items: cluster.storeOf(type).list().filter(wanted), version: cluster.version() }
        : (pages.get(token) ?? refuse(400, 'BadRequest', 'the continue token is not valid'));
    if (version < cluster.watches.oldest()) refuse(410, 'Expired', 'the continue token is too old');
    const end = limit === 0 ? items.length : limit;
    const page = {
      items: items.slice(0, end).map((object) => cloneJson(view(object)) as T),
      resourceVersion: String(version),
    };
    if (end >= items.length) return page;
    const next = String(pages.size + 1);
    pages.set(next, { items: items.slice(end), version });
    return { ...page, continue: next };
  };
  async function* watch<T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions,
    view: (object: KubeObject) => KubeObject,
  ): AsyncGenerator<WatchEvent<T>> {
    await cluster.receive({ verb: 'watch', type }, options);
    const refuse = cluster.refusing('watch', type);
    const wanted = selectorOf(options, (message) => refuse(400, 'BadRequest', message));
    const after = knownVersion(cluster, options.resourceVersion);
    const { signal, timeoutSeconds, onOpen } = options;
    onOpen?.();
    const bookmark = (version: number) => {
      const metadata = { resourceVersion: String(version) } as KubeObject['metadata'];
      return { apiVersion: apiVersionOf(type), kind: type.kind, metadata };
    };
    const expired = () => refuse(410, 'Expired', 'too old resource version');
    const events = cluster.watches.follow(cluster.storeOf(type), {
      ...{ after, wanted, timeoutSeconds, signal, bookmark, expired },
    });
    for await (const event of events) yield { ...event, object: cloneJson(view(event.object)) as T };
  }
  return {
    get: async <T extends KubeObject>(...[type, key, options]: Parameters<KubeClient['get']>) => {
      await cluster.receive({ verb: 'get', type, key }, options);
      return cloneJson(cluster.find('get', type, key)) as KubeObject as T;
    },
    getMetadata: async (type, key, options) => {
      await cluster.receive({ verb: 'get', type, key }, options);
      return cloneJson(metadataOf(cluster.find('get', type, key)));
    },
    list: (type, options = {}) => list(type, options, (object) => object),
    listMetadata: (type, options = {}) => list(type, options, metadataOf),
    watch: (type, options = {}) => watch(type, options, (object) => object),
    watchMetadata: (type, options = {}) => watch(type, options, metadataOf),
  };
}

/** Undefined: any version. */
function knownVersion(cluster: MemoryCluster, resourceVersion = '0'): number | undefined {
  const version = Number(resourceVersion);
  if (!(version <= cluster.version()))
    throw new RangeError(`the memory client has no version ${resourceVersion} yet`);
  return version === 0 ? undefined : version;
}

const metadataOf = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata,
});
