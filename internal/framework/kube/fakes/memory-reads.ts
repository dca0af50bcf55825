import { cloneJson } from '../../base/json/json-value.ts';
import type { KubeClient, ListOptions, Page, Selection, WatchEvent, WatchOptions } from '../client/client.ts';
import type { KubeObject } from '../object/object.ts';
import { apiVersionOf, type ResourceType } from '../object/resource-type.ts';
import type { MemoryCluster } from './memory-cluster.ts';
import type { AnyObject } from './memory-store.ts';

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

/**
 * Whether an object is selected: labels by equality, existence and sets, fields by equality of `metadata.name` and
 * `metadata.namespace`.
 *
 * @param refuse called for a selector that an API server refuses
 * @throws RangeError for `>` and `<`
 */
function selectorOf(
  { namespace, labelSelector = '', fieldSelector = '' }: Selection,
  refuse: (message: string) => never,
): (object: KubeObject) => boolean {
  const labels = termsOf(labelSelector, refuse);
  const fields = termsOf(fieldSelector, refuse);
  for (const { name } of fields)
    if (name !== 'metadata.name' && name !== 'metadata.namespace')
      refuse(`field label not supported: ${name}`);
  return ({ metadata }) =>
    (namespace === undefined || metadata.namespace === namespace) &&
    labels.every(({ name, holds }) => holds(metadata.labels?.[name])) &&
    fields.every(({ name, holds }) => holds(name === 'metadata.name' ? metadata.name : metadata.namespace));
}

interface Term {
  readonly name: string;
  readonly holds: (value: string | undefined) => boolean;
}

function termsOf(selector: string, refuse: (message: string) => never): Term[] {
  // A comma in parentheses separates values.
  const terms = selector.split(/,(?![^(]*\))/).map((term) => term.trim());
  return terms
    .filter((term) => term !== '')
    .map((term) => termOf(term) ?? refuse(`cannot parse the selector ${term}`));
}

function termOf(term: string): Term | undefined {
  if (/[<>]/.test(term)) throw new RangeError(`the memory client does not compare numbers: ${term}`);
  const equality = /^([\w./-]+) *(==?|!=) *([\w./-]*)$/.exec(term);
  if (equality !== null) {
    const [, name = '', operator, wanted] = equality;
    return { name, holds: (value) => (value === wanted) !== (operator === '!=') };
  }
  const set = /^([\w./-]+) +(in|notin) *\(([^()]*)\)$/.exec(term);
  if (set !== null) {
    const [, name = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return {
      name,
      holds: (value) => (value !== undefined && values.includes(value)) !== (operator === 'notin'),
    };
  }
  const existence = /^(!?) *([\w./-]+)$/.exec(term);
  if (existence === null) return undefined;
  const [, not, name = ''] = existence;
  return { name, holds: (value) => (value !== undefined) !== (not === '!') };
}
