/**
 * What a 404 is worth. HANA Cloud answers alike for an instance that is gone, one that has no mappings, and one that is
 * hidden from whoever asks. Only to a viewer that has seen the instance before does it say that there is nothing
 * left. Who has seen what is remembered in this process, and on the resource for the next one.
 * Decision: docs/decisions/0006-a-404-proves-nothing-to-who-never-saw-it.md
 */
import { createLruCache } from '../../../base/lru-cache.ts';
import type { HanaCloudClient } from '../../../clients/hana-cloud/client.ts';
import type { KubeObject } from '../../../kube/object.ts';
import { annotationOf, setAnnotation } from '../../../runtime/managed/meta.ts';

/** `{serviceInstanceID}/{viewer}`: who last saw the instance of the resource's mapping. Holds nothing secret. */
export const annotationSeenBy = 'inventory.hana.orchestrate.cloud.sap/seen-by';

type Viewer = Pick<HanaCloudClient, 'viewer'>;

export interface Sightings {
  /** HANA Cloud has answered the viewer about the instance with other than a 404. */
  note(viewer: Viewer, serviceInstanceID: string): void;
  /** The same, put on record: the instance is that of the resource's own mapping. */
  record(resource: KubeObject, viewer: Viewer, serviceInstanceID: string): void;
  /** Whether the viewer has seen the instance, as far as this process and the resource know. */
  has(resource: KubeObject, viewer: Viewer, serviceInstanceID: string): boolean;
}

/** Sightings that a process remembers; what is forgotten still stands on the resources. */
const MAX_SIGHTINGS = 10_000;

export function createSightings(): Sightings {
  const seen = createLruCache<string, true>(MAX_SIGHTINGS);
  return {
    note: (viewer, serviceInstanceID) => void seen.set(sightingOf(viewer, serviceInstanceID), true),
    record: (resource, viewer, serviceInstanceID) => {
      const sighting = sightingOf(viewer, serviceInstanceID);
      seen.set(sighting, true);
      if (annotationOf(resource, annotationSeenBy) !== sighting) {
        setAnnotation(resource, annotationSeenBy, sighting);
      }
    },
    has: (resource, viewer, serviceInstanceID) => {
      const sighting = sightingOf(viewer, serviceInstanceID);
      return seen.has(sighting) || annotationOf(resource, annotationSeenBy) === sighting;
    },
  };
}

/** Whether anybody is on record as having seen the instance. */
export function wasEverSeen(resource: KubeObject, serviceInstanceID: string): boolean {
  return annotationOf(resource, annotationSeenBy)?.startsWith(`${serviceInstanceID}/`) ?? false;
}

const sightingOf = ({ viewer }: Viewer, serviceInstanceID: string) => `${serviceInstanceID}/${viewer}`;
