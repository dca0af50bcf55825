/**
 * `provider-kyma/testing`: for tests of kinds. Reconciles run against an API server in memory and a clock
 * that the test controls, so that a test is exact and fast.
 */

export { createFakeWatchedObject, type FakeWatchedObject } from '../../base/errors/fake-watched-object.ts';
export { createFakeMetrics, type FakeMetrics } from '../../base/telemetry/fake-metrics.ts';
export { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
export { gatedKind, type ObjectReconcileOptions } from '../../controller/object-controller.ts';
export { createWorkingCopy, type WorkingCopyOptions } from '../../controller/reconcile/working-copy.ts';
export { type CustomResourceDefinition, crdAdmission } from '../../kube/fakes/crd-admission.ts';
export { createFakeCache, type FakeCache } from '../../kube/fakes/fake-cache.ts';
export { createFakeRecorder, type FakeRecorder, type RecordedEvent } from '../../kube/fakes/fake-recorder.ts';
export type { FieldStructure } from '../../kube/fakes/managed-fields.ts';
export {
  apiError,
  createMemoryClient,
  type MemoryClient,
  type MemoryClientOptions,
  type MemoryRequest,
  type Verb,
} from '../../kube/fakes/memory-client.ts';
export type { Admission, AdmissionRequest, AnyObject, Refuse } from '../../kube/fakes/memory-store.ts';
export type { ManagedReconcilerOptions } from '../managed-controller.ts';
export type { ManagedKindOptions } from '../reconciled-kind.ts';
export {
  type Answer,
  createFakeExternal,
  type FakeExternal,
  type FakeExternalBehaviour,
} from './fake-external.ts';
export { createKindHarness, type KindHarness, type KindHarnessOptions } from './kind-harness.ts';
