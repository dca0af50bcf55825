import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { createCachedKinds, parseAggregated, parseGroups, parseResources } from './cached-kinds.ts';

const { signal } = new AbortController();

const resource = (plural: string, kind: string, scope = 'Namespaced', categories: string[] = []) => ({
  resource: plural,
  responseKind: { group: '', version: '', kind },
  scope,
  verbs: ['get', 'list', 'delete'],
  categories,
});
const document = (resources: readonly object[]) => ({
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: { name: 'example.org' },
      versions: [
        { version: 'v2', resources },
        { version: 'v1', resources },
      ],
    },
    { metadata: { name: '../x' }, versions: [{ version: 'v1', resources }] },
  ],
});

describe('kinds of a cluster', () => {
  test('are discovered once, and once more if one is missing', async () => {
    const clock = createFakeClock();
    let discoveries = 0;
    const things: object[] = [resource('things', 'Thing', 'Cluster', ['all'])];
    const kinds = createCachedKinds(
      async () => {
        discoveries++;
        return parseAggregated(document([...things])) ?? { kinds: [], versions: [] };
      },
      { clock },
    );
    const find = (kind: string) => kinds.find('example.org/v1', kind, { signal });
    const thing = { group: 'example.org', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false };
    expect(await Promise.all([find('Thing'), find('Thing')])).toEqual([thing, thing]);
    expect(discoveries).toBe(1);
    expect(await Promise.all([find('Other'), find('Another')])).toEqual([undefined, undefined]);
    expect(discoveries).toBe(2);
    things.push(resource('others', 'Other'));
    expect(await find('Other')).toMatchObject({ plural: 'others', namespaced: true });
    expect(await kinds.all({ signal })).toEqual([
      { ...thing, version: 'v2' },
      expect.objectContaining({ kind: 'Other', version: 'v2' }),
    ]);
    expect(await kinds.all({ signal, category: 'all' })).toEqual([{ ...thing, version: 'v2' }]);
    expect(discoveries).toBe(3);
    kinds.forget();
    await find('Thing');
    expect(discoveries).toBe(4);
    await clock.advance(60_000);
    await find('Thing');
    expect(discoveries).toBe(5);
  });
});

describe('an aggregated API server that does not answer', () => {
  const stale = (group: string, resources: readonly object[] = []) => ({
    metadata: { name: group },
    versions: [{ version: 'v1', freshness: 'Stale', resources }],
  });
  const kindsWith = (...groups: readonly object[]) => {
    const { kind, items } = document([resource('things', 'Thing')]);
    const discovery = parseAggregated({ kind, items: [...items, ...groups] });
    return createCachedKinds(async () => discovery ?? { kinds: [], versions: [] }, {
      clock: createFakeClock(),
    });
  };
  const unknown = 'the kinds of down.org/v1 are unknown: the server of this API does not answer';

  test('has kinds that are unknown, so that none of them counts as not served', async () => {
    const kinds = kindsWith(stale('down.org'));
    await expect(kinds.find('down.org/v1', 'Secret', { signal })).rejects.toThrow(unknown);
    await expect(kinds.all({ signal })).rejects.toMatchObject({ kind: 'transient', message: unknown });
    await expect(kinds.all({ signal, group: 'down.org' })).rejects.toThrow(unknown);
  });

  test('is not in the way of other kinds', async () => {
    const kinds = kindsWith(stale('down.org'));
    expect(await kinds.find('example.org/v1', 'Thing', { signal })).toMatchObject({ plural: 'things' });
    expect(await kinds.find('example.org/v1', 'Other', { signal })).toBeUndefined();
    expect(await kinds.find('down.org/v2', 'Other', { signal })).toBeUndefined();
    expect(await kinds.all({ signal, group: 'example.org' })).toHaveLength(1);
  });

  test('may have kinds that are known from before', async () => {
    const kinds = kindsWith(stale('down.org', [resource('parts', 'Part')]));
    expect(await kinds.find('down.org/v1', 'Part', { signal })).toMatchObject({ plural: 'parts' });
    expect(await kinds.all({ signal })).toHaveLength(2);
  });

  test('of metrics is in the way of nothing: it has no objects that could be deleted', async () => {
    const kinds = kindsWith(stale('metrics.k8s.io'), stale('external.metrics.k8s.io'));
    expect(await kinds.all({ signal })).toHaveLength(1);
  });

  test('has versions that charts see, as in Helm', async () => {
    expect(await kindsWith(stale('down.org')).apiVersions({ signal })).toEqual([
      'down.org/v1',
      'example.org/v1',
      'example.org/v1/Thing',
      'example.org/v2',
      'example.org/v2/Thing',
    ]);
  });
});

describe('discovery of servers that do not aggregate it', () => {
  test('versions of a group, the preferred one first', () => {
    const groups = [
      {
        name: 'apps',
        versions: [{ version: 'v1beta1' }, { version: 'v1' }, { version: '../x' }],
        preferredVersion: { version: 'v1' },
      },
    ];
    expect(parseGroups({ kind: 'APIGroupList', groups })).toEqual([
      { group: 'apps', version: 'v1' },
      { group: 'apps', version: 'v1beta1' },
    ]);
    expect(parseAggregated({ kind: 'APIGroupList', groups })).toBeUndefined();
  });

  test('resources without subresources', () => {
    const resources = [
      { name: 'pods', kind: 'Pod', namespaced: true, verbs: ['list'], categories: ['all'] },
      { name: 'pods/status', kind: 'Pod', namespaced: true, verbs: ['get'] },
      { name: 'x', kind: 1 },
      null,
    ];
    expect(parseResources({ resources }, '', 'v1').map(({ type }) => type.plural)).toEqual(['pods']);
  });
});
