/**
 * HANA Cloud returns the same 404 for an instance that was deleted, an instance without mappings, and an instance that
 * the client may not see. A 404 shows that a mapping is absent only if the same client saw the instance before. Such
 * visibility is recorded in memory and in an annotation of the resource.
 * Decision: docs/decisions/0006-when-a-404-means-absent.md
 */
import { createLruCache } from '../../../framework/base/collections/lru-cache.ts';
import type { KubeObject } from '../../../framework/kube/index.ts';

import { annotationOf, setAnnotation } from '../../../framework/managed/index.ts';
import type { HanaCloudClient } from '../hana-cloud/client.ts';

/**
 * `{serviceInstanceID}/{viewer}.{api}`: the client that last saw the instance, and the API. Holds nothing secret.
 * Release 0.1.0 stored no API; such a record does not confirm a claim after a restart.
 */
export const annotationSeenBy = 'inventory.hana.orchestrate.cloud.sap/seen-by';

type Viewer = Pick<HanaCloudClient, 'viewer' | 'api'>;

export interface VisibilityRecords {
  /** Records in memory that HANA Cloud showed the instance to the viewer. */
  note(viewer: Viewer, serviceInstanceID: string): void;
  /** Records it in memory and on the resource. For the instance of the resource's own mapping. */
  record(resource: KubeObject, viewer: Viewer, serviceInstanceID: string): void;
  /** Whether there is a record in memory or on the resource. */
  has(resource: KubeObject, viewer: Viewer, serviceInstanceID: string): boolean;
  /** Whether there is a record in memory. A record on a resource may be forged. */
  hasHere(viewer: Viewer, serviceInstanceID: string): boolean;
}

/** About 10,000 records. Evicted ones are still on the resources. */
const MAX_BYTES = 4 * 1024 * 1024;

export function createVisibilityRecords(): VisibilityRecords {
  const records = createLruCache<string, true>({ maxBytes: MAX_BYTES });
  return {
    note: (viewer, serviceInstanceID) => void records.set(recordOf(viewer, serviceInstanceID), true),
    record: (resource, viewer, serviceInstanceID) => {
      const record = recordOf(viewer, serviceInstanceID);
      records.set(record, true);
      // A record without API (release 0.1.0) is kept: rewriting it would update every resource after an upgrade.
      if (isRecordOf(recordedVisibility(resource), viewer, serviceInstanceID)) return;
      setAnnotation(resource, annotationSeenBy, record);
    },
    has: (resource, viewer, serviceInstanceID) =>
      records.has(recordOf(viewer, serviceInstanceID)) ||
      isRecordOf(recordedVisibility(resource), viewer, serviceInstanceID),
    hasHere: (viewer, serviceInstanceID) => records.has(recordOf(viewer, serviceInstanceID)),
  };
}

/** Whether the resource has a record of the instance, of any viewer. */
export function hasVisibilityRecord(resource: KubeObject, serviceInstanceID: string): boolean {
  return recordedVisibility(resource)?.serviceInstanceID === serviceInstanceID;
}

export interface VisibilityRecord {
  readonly serviceInstanceID: string;
  readonly viewer: string;
  readonly api?: string;
}

export function recordedVisibility(resource: KubeObject): VisibilityRecord | undefined {
  const text = annotationOf(resource, annotationSeenBy);
  if (text === undefined) return undefined;
  // An instance ID may contain slashes; digests contain neither slashes nor dots.
  const end = text.lastIndexOf('/');
  const [viewer = '', api] = text.slice(end + 1).split('.');
  if (end < 1 || viewer === '') return undefined;
  return { serviceInstanceID: text.slice(0, end), viewer, ...(api === undefined ? {} : { api }) };
}

const isRecordOf = (
  recorded: VisibilityRecord | undefined,
  { viewer }: Viewer,
  serviceInstanceID: string,
): boolean => recorded?.serviceInstanceID === serviceInstanceID && recorded.viewer === viewer;

const recordOf = ({ viewer, api }: Viewer, serviceInstanceID: string) =>
  `${serviceInstanceID}/${viewer}.${api}`;
