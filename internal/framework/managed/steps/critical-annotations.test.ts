import { beforeEach, describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createWorkingCopy } from '../../controller/reconcile/working-copy.ts';
import { apiError, createMemoryClient, type MemoryRequest } from '../../kube/fakes/memory-client.ts';
import { namespacedWidgets as type, widget } from '../../kube/fakes/widget.ts';
import { keyOf } from '../../kube/object/object.ts';
import { setAnnotation, setCreateSucceeded } from '../resource/meta.ts';
import { storeCriticalAnnotations } from './critical-annotations.ts';

const boom = new Error('boom');
const succeeded = 'crossplane.io/external-create-succeeded';

function setup() {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const object = client.seed(type, widget(type, { metadata: { annotations: { mine: '1', theirs: '1' } } }));
  const copy = createWorkingCopy({ client, type, object });
  setCreateSucceeded(copy.object, clock.now());
  const store = async (signal = new AbortController().signal) => {
    const storing = storeCriticalAnnotations(copy, { clock, random: () => 0.5, signal });
    storing.catch(() => undefined);
    await clock.advance(100);
    return storing;
  };
  /** Another client writes in between. */
  const interfere = async () => {
    const latest = client.peek<typeof object>(type, keyOf(object));
    if (latest) {
      setAnnotation(latest, 'theirs', '2');
      latest.spec.forProvider.size = 9;
      await client.update(type, latest);
    }
  };
  const stored = () => client.peek<typeof object>(type, keyOf(object));
  return { clock, client, copy, store, interfere, stored };
}

describe('storeCriticalAnnotations', () => {
  let h: ReturnType<typeof setup>;
  beforeEach(() => {
    h = setup();
  });
  const puts = () => h.client.requests.filter((r) => r.verb === 'update').length;
  const hook = (verb: MemoryRequest['verb'], error: Error) =>
    h.client.onRequest((request) => {
      if (request.verb === verb) throw error;
    });

  test('[126] success', async () => {
    await h.store();
    expect(h.stored()?.metadata.annotations).toEqual({
      mine: '1',
      theirs: '1',
      [succeeded]: '2024-01-01T00:00:00Z',
    });
  });

  test('[123] a conflict, and the newest version cannot be had: that is the error', async () => {
    await h.interfere();
    hook('get', boom);
    await expect(h.store()).rejects.toThrow('cannot update critical annotations: boom');
  });

  test('[124] any other error is returned after five attempts, the object untouched', async () => {
    hook('update', boom);
    const before = structuredClone(h.copy.object);
    await expect(h.store()).rejects.toThrow('cannot update critical annotations: boom');
    expect(puts()).toBe(5);
    expect(h.copy.object).toEqual(before);
  });

  test('[125] endless conflicts are returned as such, the object refreshed with the annotations on it', async () => {
    await h.interfere();
    hook('update', apiError(409, 'Conflict'));
    await expect(h.store()).rejects.toMatchObject({ kind: 'conflict' });
    expect(puts()).toBe(6);
    expect(h.copy.object.metadata.annotations).toMatchObject({
      theirs: '2',
      [succeeded]: '2024-01-01T00:00:00Z',
    });
  });

  test('a conflict is met by the newest version, on which others keep what they changed', async () => {
    await h.interfere();
    await h.store();
    expect(h.stored()).toMatchObject({
      metadata: { annotations: { mine: '1', theirs: '2', [succeeded]: '2024-01-01T00:00:00Z' } },
      spec: { forProvider: { size: 9 } },
    });
  });

  test('what Observe set in the status survives the refresh', async () => {
    h.copy.object.status = { atProvider: { size: 3 } };
    await h.interfere();
    await h.store();
    expect(h.copy.object.status).toEqual({ atProvider: { size: 3 } });
  });

  test('an object that was created again under the same name is not changed', async () => {
    await h.client.delete(type, keyOf(h.copy.object));
    h.client.seed(type, { ...widget(type), metadata: { ...widget(type).metadata, uid: 'another' } });
    await expect(h.store()).rejects.toThrow('replaced by another one');
    expect(h.stored()?.metadata.annotations).toBeUndefined();
  });

  test('a process that stops gives up at once', async () => {
    const stop = new AbortController();
    h.client.onRequest((request) => {
      if (request.verb !== 'update') return;
      stop.abort(boom);
      throw boom;
    });
    await expect(h.store(stop.signal)).rejects.toThrow('boom');
    expect(puts()).toBe(1);
  });
});
