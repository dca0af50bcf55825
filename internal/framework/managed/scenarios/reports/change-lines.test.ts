import { describe, expect, test } from '@jest/globals';
import { createLogger } from '../../../process/telemetry/json-logger.ts';
import {
  clusterWidgets,
  createHarness,
  type HarnessOptions,
  namespacedWidgets,
} from '../../fakes/managed-harness.ts';
import { boom, deleted, drifted, existing, upToDate } from '../scenario.ts';

/** Runs one reconcile without --debug, and returns what it logs. */
async function logOf(given: HarnessOptions): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({ debug: false, destination: { write: (line) => lines.push(JSON.parse(line)) } });
  const harness = createHarness({ ...given, options: { ...given.options, log } });
  await harness.reconcile().catch(() => undefined);
  return lines;
}

const named = { metadata: { ...existing.metadata, annotations: { 'crossplane.io/external-name': 'w-1' } } };
const leaving = { metadata: { ...deleted.metadata, ...named.metadata, ...deleted.metadata } };

describe.each([
  { scope: 'cluster', type: clusterWidgets, request: 'w' },
  { scope: 'namespaced', type: namespacedWidgets, request: 'shop/w' },
])('each attempt to change the external system is one line, $scope', ({ type, request }) => {
  test.each([
    { operation: 'create', given: { external: { observe: { state: 'absent', externalName: 'w-1' } } } },
    { operation: 'update', given: { resource: named, external: { observe: drifted } } },
    { operation: 'delete', given: { resource: leaving, external: { observe: upToDate } } },
  ] as const)('$operation', async ({ operation, given }) => {
    const [line, ...others] = await logOf({ type, ...given });

    expect(others).toEqual([]);
    expect(line).toMatchObject({
      level: 'info',
      msg: 'external resource changed',
      operation,
      request,
      uid: 'uid-w',
      durationMs: expect.any(Number),
    });
    expect(line).not.toHaveProperty('error');
  });

  test('a failed attempt has the error, since it may have changed something all the same', async () => {
    const lines = await logOf({ type, resource: named, external: { observe: drifted, update: boom } });

    expect(lines).toEqual([
      expect.objectContaining({
        level: 'info',
        msg: 'cannot change the external resource',
        operation: 'update',
        request,
        externalName: 'w-1',
        error: 'boom',
      }),
    ]);
  });

  test('a create has the external name where it is known beforehand', async () => {
    const [line] = await logOf({ type, external: { observe: { state: 'absent', externalName: 'w-1' } } });

    expect(line?.externalName).toBe('w-1');
  });

  test.each([
    { title: 'nothing differs', given: { resource: named, external: { observe: upToDate } } },
    {
      title: 'the process may not change it',
      given: {
        resource: named,
        external: { observe: drifted },
        options: {
          fence: () => {
            throw boom;
          },
        },
      },
    },
  ])('no line where $title', async ({ given }) => {
    expect(await logOf({ type, ...given })).toEqual([]);
  });
});
