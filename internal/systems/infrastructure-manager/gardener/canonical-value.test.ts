import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { isObject, valueAt } from '../../../framework/base/json/json-value.ts';
import {
  canonicalValue,
  DURATIONS,
  OBJECTS_OF_DURATIONS,
  OBJECTS_OF_QUANTITIES,
  QUANTITIES,
} from './canonical-value.ts';

const inPool = (worker: object) => JSON.stringify(canonicalValue([worker], 'workers', 'provider'));

test.each([
  [
    { machineControllerManager: { machineDrainTimeout: '120m' } },
    { machineControllerManager: { machineDrainTimeout: '2h0m0s' } },
  ],
  [
    { machineControllerManager: { machineHealthTimeout: '10m' } },
    { machineControllerManager: { machineHealthTimeout: '10m0s' } },
  ],
  [
    { clusterAutoscaler: { scaleDownUnneededTime: '1.5h' } },
    { clusterAutoscaler: { scaleDownUnneededTime: '1h30m0s' } },
  ],
  [
    { kubernetes: { kubelet: { kubeReserved: { cpu: '0.1' } } } },
    { kubernetes: { kubelet: { kubeReserved: { cpu: '100m' } } } },
  ],
  [
    { kubernetes: { kubelet: { kubeReserved: { memory: '1024Mi' } } } },
    { kubernetes: { kubelet: { kubeReserved: { memory: '1Gi' } } } },
  ],
  [
    { kubernetes: { kubelet: { systemReserved: { pid: 20_000 } } } },
    { kubernetes: { kubelet: { systemReserved: { pid: '20k' } } } },
  ],
  [
    { kubernetes: { kubelet: { containerLogMaxSize: '1e3' } } },
    { kubernetes: { kubelet: { containerLogMaxSize: '1k' } } },
  ],
  [
    { kubernetes: { kubelet: { evictionMinimumReclaim: { nodeFSAvailable: '+.5Gi' } } } },
    { kubernetes: { kubelet: { evictionMinimumReclaim: { nodeFSAvailable: '512Mi' } } } },
  ],
  [
    { kubernetes: { kubelet: { evictionSoftGracePeriod: { memoryAvailable: '90s' } } } },
    { kubernetes: { kubelet: { evictionSoftGracePeriod: { memoryAvailable: '1m30s' } } } },
  ],
  [
    { taints: [{ key: 'a', value: '', timeAdded: '2024-01-01T01:00:00+01:00' }] },
    { taints: [{ key: 'a', timeAdded: '2024-01-01T00:00:00Z' }] },
  ],
  [
    { taints: [{ key: 'a', timeAdded: '2024-01-01T00:00:00.9Z' }] },
    { taints: [{ key: 'a', timeAdded: '2024-01-01T00:00:00Z' }] },
  ],
  // What is smaller than a billionth is one.
  [
    { kubernetes: { kubelet: { kubeReserved: { cpu: '0.0000000011' } } } },
    { kubernetes: { kubelet: { kubeReserved: { cpu: '2n' } } } },
  ],
  [{ labels: {}, taints: [], kubernetes: null }, {}],
])('%j is stored as %j', (sent, stored) => {
  expect(inPool(sent)).toBe(inPool(stored));
});

test.each([
  [{ labels: { cpu: '0.1' } }, { labels: { cpu: '100m' } }],
  [{ labels: { machineDrainTimeout: '120m' } }, { labels: { machineDrainTimeout: '2h0m0s' } }],
  [{ annotations: { a: '' } }, {}],
  [{ volume: { size: '1024Mi' } }, { volume: { size: '1Gi' } }],
  [
    { kubernetes: { kubelet: { evictionHard: { memoryAvailable: '1024Mi' } } } },
    { kubernetes: { kubelet: { evictionHard: { memoryAvailable: '1Gi' } } } },
  ],
  [{ zones: ['a', 'b'] }, { zones: ['b', 'a'] }],
  [
    { machineControllerManager: { machineDrainTimeout: '1h' } },
    { machineControllerManager: { machineDrainTimeout: '1m' } },
  ],
  [
    { kubernetes: { kubelet: { kubeReserved: { memory: '1M' } } } },
    { kubernetes: { kubelet: { kubeReserved: { memory: '1Mi' } } } },
  ],
  [{ minimum: 0 }, {}],
])('%j and %j are two values', (one, other) => {
  expect(inPool(one)).not.toBe(inPool(other));
});

test('every Duration and Quantity of a worker pool in the API of Gardener is known', async () => {
  const api: unknown = parse(
    await readFile(new URL('../../../../apis/gardener/core.openapi.yaml', import.meta.url), 'utf8'),
  );
  const schemas = valueAt(api, ['components', 'schemas']);
  const found: Record<string, Set<string>> = { Duration: new Set(), Quantity: new Set() };
  const visit = (name: string, parent: string) => {
    const properties = valueAt(schemas, [name, 'properties']);
    for (const [field, schema] of Object.entries(isObject(properties) ? properties : {})) {
      const type = /#\/components\/schemas\/(\w+)/.exec(JSON.stringify(schema))?.[1] ?? '';
      if (type in found) found[type]?.add(known(type).has(parent) ? parent : field);
      else if (type !== '') visit(type, field);
    }
  };
  const known = (type: string) => (type === 'Duration' ? OBJECTS_OF_DURATIONS : OBJECTS_OF_QUANTITIES);
  visit('Worker', 'workers');
  const unknown = (type: string, ...sets: ReadonlySet<string>[]) =>
    [...(found[type] ?? [])].filter((name) => !sets.some((set) => set.has(name)));
  expect(found.Duration?.size).toBeGreaterThan(8);
  expect(found.Quantity?.size).toBeGreaterThan(3);
  expect(unknown('Duration', DURATIONS, OBJECTS_OF_DURATIONS)).toEqual([]);
  expect(unknown('Quantity', QUANTITIES, OBJECTS_OF_QUANTITIES)).toEqual([]);
});
