import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import { namespacedWidgets as type, widget } from '../../kube/fakes/widget.ts';
import { keyOf } from '../../kube/object/object.ts';
import { foreignFinalizers, managedFinalizer, removeFinalizer, stageFinalizer } from './finalizer.ts';
import { createWorkingCopy, putObject } from './working-copy.ts';

const { signal } = new AbortController();

function setup(finalizers: string[]) {
  const client = createMemoryClient({ clock: createFakeClock() });
  const object = client.seed(type, widget(type, { metadata: { finalizers } }));
  const copy = createWorkingCopy({ client, type, object });
  const stored = () => client.peek(type, keyOf(object))?.metadata.finalizers;
  const fail = () =>
    client.onRequest(() => {
      throw new Error('boom');
    });
  return { client, copy, stored, fail };
}

describe('finalizers', () => {
  test('[238] adding: the PUT fails', async () => {
    const { copy, fail } = setup([]);
    stageFinalizer(copy, managedFinalizer);
    fail();
    await expect(putObject(copy, signal)).rejects.toThrow('cannot update object: boom');
  });

  test('[239] adding: success', async () => {
    const { copy, stored } = setup(['other']);
    stageFinalizer(copy, managedFinalizer);
    expect(copy.hasChanges()).toBe(true);
    await putObject(copy, signal);
    expect(stored()).toEqual(['other', managedFinalizer]);
  });

  test('[240] removing: the PUT fails', async () => {
    const { copy, fail } = setup([managedFinalizer]);
    fail();
    await expect(removeFinalizer(copy, managedFinalizer, signal)).rejects.toThrow(
      'cannot update object: boom',
    );
  });

  test('[241] removing: success', async () => {
    const { copy, stored } = setup(['other', managedFinalizer]);
    await removeFinalizer(copy, managedFinalizer, signal);
    expect(stored()).toEqual(['other']);
  });

  test('what is there already, or gone already, needs no request', async () => {
    const there = setup([managedFinalizer]);
    stageFinalizer(there.copy, managedFinalizer);
    expect(there.copy.hasChanges()).toBe(false);
    const gone = setup([]);
    await removeFinalizer(gone.copy, managedFinalizer, signal);
    expect(gone.client.requests).toEqual([]);
  });

  test('removing it from an object that is gone is no error', async () => {
    const { client, copy } = setup([managedFinalizer]);
    const latest = client.peek(type, keyOf(copy.object));
    if (latest) await client.update(type, { ...latest, metadata: { ...latest.metadata, finalizers: [] } });
    await client.delete(type, keyOf(copy.object));
    await expect(removeFinalizer(copy, managedFinalizer, signal)).resolves.toBeUndefined();
  });

  test('those of garbage collection are not foreign', () => {
    const { copy } = setup([managedFinalizer, 'foregroundDeletion', 'orphan', 'other.example.org']);
    expect(foreignFinalizers(copy.object, managedFinalizer)).toEqual(['other.example.org']);
  });
});
