import { describe, expect, test } from '@jest/globals';
import { externalTimeoutOf, ownershipDelayOf } from '../../controller/reconcile/reconciler.ts';
import { clusterWidgets, widget } from '../fakes/managed-harness.ts';
import { externalNameFrom, setExternalName } from '../resource/meta.ts';
import {
  controllerName,
  nameAsExternalName,
  recordsCreateOutcome,
  shareOfNamespace,
} from './managed-kind.ts';

describe('the outcome of a create', () => {
  test.each([
    { deterministicExternalName: true, creationGracePeriodMs: 0, recorded: false },
    { deterministicExternalName: true, creationGracePeriodMs: 1, recorded: true },
    { deterministicExternalName: false, creationGracePeriodMs: 0, recorded: true },
    // The default grace period needs the record.
    { deterministicExternalName: true, recorded: true },
    { creationGracePeriodMs: 0, recorded: true },
  ])('$deterministicExternalName, $creationGracePeriodMs: recorded $recorded', ({ recorded, ...kind }) => {
    expect(recordsCreateOutcome(kind)).toBe(recorded);
  });
});

test('writes may be in flight for a sixth longer than the time for external calls, one minute by default', () => {
  expect([externalTimeoutOf({}), ownershipDelayOf(60_000)]).toEqual([60_000, 70_000]);
});

test('resources of a namespace share slots for external systems that may be slow; cluster-scoped ones do not', () => {
  const { metadata, ...resource } = widget(clusterWidgets);
  expect(shareOfNamespace({ ...resource, metadata: { ...metadata, namespace: 'shop' } })).toEqual([
    { name: 'external systems of namespace shop', remote: true },
  ]);
  expect(shareOfNamespace({ ...resource, metadata })).toEqual([]);
});

describe('nameAsExternalName', () => {
  const setUp = () => {
    const resource = widget(clusterWidgets);
    let stored = 0;
    const store = async () => {
      stored++;
    };
    return { resource, store, stored: () => stored };
  };

  test('records the name of the resource', async () => {
    const { resource, store, stored } = setUp();
    await nameAsExternalName(resource, store);
    expect([externalNameFrom(resource), stored()]).toEqual([resource.metadata.name, 1]);
  });

  test('keeps another name, and stores nothing', async () => {
    const { resource, store, stored } = setUp();
    setExternalName(resource, 'other');
    await nameAsExternalName(resource, store);
    expect([externalNameFrom(resource), stored()]).toEqual(['other', 0]);
  });
});

test('a controller is named after its kind and group', () => {
  expect(controllerName(clusterWidgets)).toBe('managed/widget.example.org');
  expect(controllerName({ ...clusterWidgets, group: '' })).toBe('managed/widget');
});
