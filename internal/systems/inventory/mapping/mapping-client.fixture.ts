import { noFence } from '../../../framework/base/concurrency/fence.ts';
import { reserveNothing } from '../../../framework/base/concurrency/limit-key.ts';
import type { WatchedObject } from '../../../framework/base/errors/errors.ts';
import { nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { annotationExternalName } from '../../../framework/managed/index.ts';
import type { HanaCloudClient } from '../hana-cloud/client.ts';
import { createMappingClaims } from './claims/mapping-claims.ts';
import { mappingOf, type TestMapping, testKind, testNames } from './mapping.fixture.ts';
import { createMappingClient, type MappingClientOptions } from './mapping-client.ts';
import type { MappingIdentity } from './mapping-identity.ts';
import { createVisibilityRecords } from './visibility-records.ts';

export const described = mappingOf('i-1');
export const old = mappingOf('i-0');
export const ctx = {
  signal: new AbortController().signal,
  log: nopLogger,
  isLowPriority: true,
  reserve: reserveNothing,
  clock: createFakeClock(),
  assertMayWrite: noFence,
};

export const secret: WatchedObject = { description: 'Secret shop/admin', watch: () => () => undefined };

export const clientOf = (
  hana: HanaCloudClient,
  identity: MappingIdentity = described,
  over: Partial<MappingClientOptions<TestMapping>> = {},
) =>
  createMappingClient<TestMapping>({
    kind: testKind,
    claims: createMappingClaims(ctx).of(testKind),
    visibility: createVisibilityRecords(),
    hana,
    described: identity,
    access: [secret],
    ...over,
  });

export interface Given {
  readonly externalName?: string;
  readonly known?: MappingIdentity;
  readonly isDefault?: boolean;
  readonly deleted?: boolean;
}

export function resourceWith({ externalName, known, isDefault, deleted }: Given = {}): TestMapping {
  return {
    apiVersion: 'example.org/v1',
    kind: 'Mapping',
    metadata: {
      name: 'shop',
      uid: 'uid-shop',
      creationTimestamp: '2024-01-02T00:00:00Z',
      ...(externalName === undefined ? {} : { annotations: { [annotationExternalName]: externalName } }),
      ...(deleted ? { deletionTimestamp: '2024-01-01T00:00:00Z' } : {}),
    },
    spec: isDefault === undefined ? {} : { isDefault },
    ...(known === undefined ? {} : { status: { known, present: true } }),
  };
}
export const moved: Given = { externalName: testNames.format(old), known: old };
