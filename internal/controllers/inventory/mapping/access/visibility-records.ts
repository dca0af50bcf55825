/**
 * What a 404 is worth. HANA Cloud answers alike for an instance that is gone, one that has no mappings, and one that is
 * hidden from whoever asks. Only to a viewer that has seen the instance before does it say that there is nothing
 * left. Who has seen what is remembered in this process, and on the resource for the next one.
 * Decision: docs/decisions/0006-when-a-404-means-absent.md
 */
import { createLruCache } from '../../../../base/collections/lru-cache.ts';
import type { HanaCloudClient } from '../../../../clients/hana-cloud/client.ts';
import type { KubeObject } from '../../../../kube/object/object.ts';
import { annotationOf, setAnnotation } from '../../../../runtime/index.ts';

/**
 * `{serviceInstanceID}/{viewer}.{api}`: who last saw the instance of the resource's mapping, and at which API. Holds
 * nothing secret. Release 0.1.0 stored no API; such a record proves no claim after a restart.
 */
export const annotationSeenBy = 'inventory.hana.orchestrate.cloud.sap/seen-by';

type Viewer = Pick<HanaCloudClient, 'viewer' | 'api'>;

export interface VisibilityRecords {
  /** HANA Cloud has answered the viewer about the instance with other than a 404. */
  note(viewer: Viewer, serviceInstanceID: string): void;
  /** The same, put on record: the instance is that of the resource's own mapping. */
  record(resource: KubeObject, viewer: Viewer, serviceInstanceID: string): void;
  /** Whether the viewer has seen the instance, as far as this process and the resource know. */
  has(resource: KubeObject, viewer: Viewer, serviceInstanceID: string): boolean;
  /** The same, as far as this process knows: what a resource says may be forged by its author. */
  hasHere(viewer: Viewer, serviceInstanceID: string): boolean;
}

/** Of what a process remembers, about 10,000 visibility records; what is forgotten still stands on the resources. */
const MAX_BYTES = 4 * 1024 * 1024;

export function createVisibilityRecords(): VisibilityRecords {
  const seen = createLruCache<string, true>({ maxBytes: MAX_BYTES });
  return {
    note: (viewer, serviceInstanceID) => void seen.set(recordOf(viewer, serviceInstanceID), true),
    record: (resource, viewer, serviceInstanceID) => {
      const record = recordOf(viewer, serviceInstanceID);
      seen.set(record, true);
      // That the API is missing is no reason to write every resource after an upgrade; the viewer's digest covers it.
      if (isRecordOf(recordedVisibility(resource), viewer, serviceInstanceID)) return;
      setAnnotation(resource, annotationSeenBy, record);
    },
    has: (resource, viewer, serviceInstanceID) =>
      seen.has(recordOf(viewer, serviceInstanceID)) ||
      isRecordOf(recordedVisibility(resource), viewer, serviceInstanceID),
    hasHere: (viewer, serviceInstanceID) => seen.has(recordOf(viewer, serviceInstanceID)),
  };
}

/** Whether anybody is on record as having seen the instance. */
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
  // An instance ID may itself hold slashes; digests hold neither slashes nor dots.
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
