import { describe, expect, test } from '@jest/globals';
import { WaitingError } from '../../base/errors/errors.ts';
import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createFakeCache } from '../../kube/fakes/fake-cache.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import type { WidgetParts } from '../fakes/managed-harness.ts';
import { createConfigUse } from './config-use.ts';
import type { ConfigRef, ProviderConfig, ProviderConfigUsage } from './model/provider-config.ts';
import { clusterConfig, configOfCluster, type Scope, scopes, usageOf, user } from './usage/usage.fixture.ts';
import { usageFinalizer } from './usage/usage.ts';
import { createUsages } from './usage/usages.ts';

const boom = new Error('boom');
const missing = new WaitingError('Secret shop/admin not found');
const deletionTimestamp = '2024-01-01T00:00:00Z';
const { signal } = new AbortController();

interface Given {
  readonly readsConfig?: boolean;
  readonly ref?: ConfigRef;
  readonly resource?: WidgetParts;
  /** Whether the configuration exists; default true. */
  readonly config?: boolean;
  readonly usages?: readonly ProviderConfigUsage[];
}

function setup(scope: Scope, given: Given = {}) {
  const { kinds, ref, widgets } = scopes[scope];
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const config = scope === 'Cluster' ? configOfCluster : clusterConfig;
  const configs = (given.config ?? true) ? [config] : [];
  const usageCache = createFakeCache<ProviderConfigUsage>(
    (given.usages ?? []).map((usage) => client.seed(kinds.usage, usage)),
  );
  const configCache = createFakeCache<ProviderConfig>(configs);
  const use = createConfigUse({
    client,
    clock,
    kinds,
    type: widgets,
    usages: createUsages({ client, type: kinds.usage, cache: usageCache }),
    usageCache,
    configCache: () => configCache,
    readsConfig: given.readsConfig ?? false,
  });
  const resource = user(scope, given.ref ?? ref, given.resource);
  const namespace = resource.metadata.namespace;
  const trace: string[] = [];
  client.onRequest(({ verb, type }) => {
    trace.push(`${verb} ${type.kind}`);
  });
  return {
    client,
    clock,
    use,
    usageCache,
    configCache,
    config,
    resource,
    trace,
    usage: () =>
      client.peek(kinds.usage, {
        name: 'uid-w',
        ...(namespace === undefined ? {} : { namespace }),
      }),
    connect: (open: () => Promise<string> = async () => 'client') =>
      use.connect(
        resource,
        {
          open: () => {
            trace.push('open');
            return open();
          },
          close: async (opened) => void trace.push(`close ${opened}`),
        },
        { signal, log: nopLogger },
      ),
  };
}

describe.each(['Cluster', 'Namespaced'] as const)(
  'a %s resource that needs nothing of its configuration',
  (scope) => {
    test('is recorded with the finalizer by one write once it has connected', async () => {
      const h = setup(scope);
      expect(await h.connect()).toBe('client');
      expect(h.trace).toEqual(['open', 'create ProviderConfigUsage']);
      expect(h.usage()?.metadata.finalizers).toEqual([usageFinalizer]);
    });

    test('is recorded while it cannot connect, but without the finalizer', async () => {
      const h = setup(scope);
      await expect(h.connect(() => Promise.reject(missing))).rejects.toBe(missing);
      expect(h.usage()).toBeDefined();
      expect(h.usage()?.metadata.finalizers).toBeUndefined();
    });

    test('reports the error of Connect rather than that of the record', async () => {
      const h = setup(scope);
      h.client.onRequest(() => {
        throw boom;
      });
      await expect(h.connect(() => Promise.reject(missing))).rejects.toBe(missing);
    });

    test('is disconnected where its use cannot be recorded', async () => {
      const h = setup(scope);
      h.client.onRequest(() => {
        throw boom;
      });
      await expect(h.connect()).rejects.toThrow('cannot apply ProviderConfigUsage: boom');
      expect(h.trace).toEqual(['open', 'create ProviderConfigUsage', 'close client']);
    });

    test('works without the default configuration, and counts as its user all the same', async () => {
      const { ref } = scopes[scope];
      const h = setup(scope, { ref: { ...ref, name: 'default' }, config: false });
      expect(await h.connect()).toBe('client');
      expect(h.trace).toEqual(['open', 'create ProviderConfigUsage']);
    });

    test('does not work with a name that cannot exist, and does not ask to create it', async () => {
      const { ref } = scopes[scope];
      const h = setup(scope, { ref: { ...ref, name: 'Prod_1' }, config: false });
      await expect(h.connect()).rejects.toThrow('not found: "Prod_1" cannot be the name of an object');
    });

    test('does not work with another one that does not exist, and goes on when that appears', async () => {
      const h = setup(scope, { config: false });
      const { kind } = h.config;
      let thrown: unknown;
      await h.connect().catch((error: unknown) => {
        thrown = error;
      });
      const message = `${kind} prod not found; create it, or correct spec.providerConfigRef`;
      expect(thrown).toMatchObject({ kind: 'terminal', message, targets: [{ description: `${kind} prod` }] });
      expect(h.trace).toEqual([`get ${kind}`, 'create ProviderConfigUsage']);
      let woken = 0;
      const { targets } = thrown as { targets: { watch(onChange: () => void): () => void }[] };
      const stop = targets[0]?.watch(() => {
        woken++;
      });
      h.configCache.put({ ...h.config, metadata: { ...h.config.metadata, name: 'other' } });
      expect(woken).toBe(0);
      h.configCache.put(h.config);
      expect(woken).toBe(1);
      stop?.();
      expect(await h.connect()).toBe('client');
    });

    test('believes the API server where the cache has not heard of the configuration yet', async () => {
      const h = setup(scope, { config: false });
      h.client.seed(
        scope === 'Cluster' ? scopes.Cluster.kinds.config : scopes.Namespaced.kinds.clusterConfig,
        h.config,
      );
      expect(await h.connect()).toBe('client');
    });

    test('that is being deleted needs no configuration and gets no new usage', async () => {
      const h = setup(scope, { config: false, resource: { metadata: { deletionTimestamp } } });
      expect(await h.connect()).toBe('client');
      expect(h.trace).toEqual(['open']);
    });
  },
);

describe('a resource whose Connect reads its configuration', () => {
  const readsConfig = true;

  test('is recorded before, and has the finalizer after it has connected', async () => {
    const h = setup('Cluster', { readsConfig });
    await h.connect(async () => {
      expect(h.usage()?.metadata.finalizers).toBeUndefined();
      return 'client';
    });
    expect(h.trace).toEqual(['create ProviderConfigUsage', 'open', 'patch ProviderConfigUsage']);
    expect(h.usage()?.metadata.finalizers).toEqual([usageFinalizer]);
  });

  test('is recorded although it does not connect, without the finalizer', async () => {
    const h = setup('Cluster', { readsConfig });
    await expect(h.connect(() => Promise.reject(boom))).rejects.toBe(boom);
    expect(h.trace).toEqual(['create ProviderConfigUsage', 'open']);
  });

  test('does not connect where it cannot be recorded', async () => {
    const h = setup('Cluster', { readsConfig });
    h.client.onRequest(() => {
      throw boom;
    });
    await expect(h.connect()).rejects.toThrow('cannot apply ProviderConfigUsage: boom');
    expect(h.trace).not.toContain('open');
  });

  test('is disconnected if the finalizer cannot be added', async () => {
    const h = setup('Cluster', { readsConfig });
    h.client.onRequest(({ verb }) => {
      if (verb === 'patch') throw boom;
    });
    await expect(h.connect()).rejects.toThrow('boom');
    expect(h.trace.at(-1)).toBe('close client');
  });

  test('finds out itself whether the configuration exists', async () => {
    const h = setup('Cluster', { readsConfig, config: false });
    expect(await h.connect()).toBe('client');
  });
});

describe('the end of a use', () => {
  const held = { finalizers: [usageFinalizer] };
  const ending = { ...held, deletionTimestamp };

  test('of a finalized resource removes the finalizer of its usage', async () => {
    const h = setup('Namespaced', { usages: [usageOf('Namespaced', scopes.Namespaced.ref, held)] });
    await h.use.end(h.resource, signal);
    expect(h.usage()?.metadata).not.toHaveProperty('finalizers');
  });

  test.each([
    { title: 'gone', there: undefined, released: true },
    { title: 'another one of the same name', there: 'uid-newer', released: true },
    { title: 'there, although it is not in the cache', there: 'uid-w', released: false },
  ])('of a resource that is $title', async ({ there, released }) => {
    const h = setup('Namespaced', { usages: [usageOf('Namespaced', scopes.Namespaced.ref, ending)] });
    if (there !== undefined) {
      const { widgets } = scopes.Namespaced;
      h.client.seed(widgets, { ...h.resource, metadata: { ...h.resource.metadata, uid: there } });
    }
    const keys: string[] = [];
    const stop = h.use.source.start((key) => keys.push(key));
    expect(keys).toEqual(['shop/w']);
    await h.use.endForDeleted('shop/w', undefined, signal);
    expect(h.usage() === undefined).toBe(released);
    stop();
  });

  test('is not asked about while the resource is known', async () => {
    const h = setup('Namespaced', { usages: [usageOf('Namespaced', scopes.Namespaced.ref, ending)] });
    h.use.source.start(() => undefined);
    await h.use.endForDeleted('shop/w', h.resource, signal);
    expect(h.trace).toEqual([]);
  });

  test.each([
    { title: 'that is not being deleted', metadata: held, kind: 'Widget' },
    { title: 'that holds nothing', metadata: { deletionTimestamp }, kind: 'Widget' },
    { title: 'of another kind', metadata: ending, kind: 'Gadget' },
  ])('is not brought about by a usage $title', ({ metadata, kind }) => {
    const usage = usageOf('Namespaced', scopes.Namespaced.ref, metadata);
    const h = setup('Namespaced', { usages: [{ ...usage, resourceRef: { ...usage.resourceRef, kind } }] });
    const keys: string[] = [];
    h.use.source.start((key) => keys.push(key));
    expect(keys).toEqual([]);
  });

  test('is forgotten with its usage', async () => {
    const usage = usageOf('Namespaced', scopes.Namespaced.ref, ending);
    const h = setup('Namespaced', { usages: [usage] });
    h.use.source.start(() => undefined);
    h.usageCache.remove(usage);
    await h.use.endForDeleted('shop/w', undefined, signal);
    expect(h.trace).toEqual([]);
  });
});

describe('the list of usages', () => {
  test('is waited for, but not for ever', async () => {
    const h = setup('Cluster');
    h.usageCache.setSynced(false);
    let over = false;
    const waiting = h.use.source.whenSynced(signal).then(() => {
      over = true;
    });
    await h.clock.advance(4999);
    expect(over).toBe(false);
    await h.clock.advance(1);
    await waiting;
    expect(h.clock.pending()).toBe(0);
  });

  test('leaves no timer behind when it syncs, or when the wait is aborted', async () => {
    const h = setup('Cluster');
    await h.use.source.whenSynced(signal);
    expect(h.clock.pending()).toBe(0);
    h.usageCache.setSynced(false);
    const stopping = new AbortController();
    const waiting = h.use.source.whenSynced(stopping.signal);
    stopping.abort(boom);
    await expect(waiting).rejects.toBe(boom);
    expect(h.clock.pending()).toBe(0);
  });
});
