/** How the resource of an object is looked up, for both kinds. */
import type { ExternalResource, Look, MadeResource } from './external-resource.ts';
import type { LabelledResource } from './own-resources.ts';
import { type Run, setStatus } from './run.ts';

/** The looks at a resource of an object, by GET and by a list. */
export function looksAt(
  { object, client: { viewer }, ownResources }: Pick<Run, 'object' | 'client' | 'ownResources'>,
  read: () => Promise<LabelledResource | undefined>,
  isListed: () => Promise<boolean>,
): readonly [Look, Look] {
  return [
    async () => {
      const found = await read();
      if (found === undefined) return 'absent';
      return ownResources.own(object.metadata.namespace, found, viewer) === undefined ? 'foreign' : 'present';
    },
    async () => ((await isListed()) ? 'present' : 'absent'),
  ];
}

/** A resource that an earlier create may have made, found by its identity. */
export const unrecordedResource = (find: ExternalResource['find']): MadeResource => ({
  id: '',
  record: {},
  look: async () => ((await find()).length > 0 ? 'present' : 'absent'),
});

/** Another client of the same subaccount sees the resource, e.g. after a rotation. A resource without a record gets none by that. */
export function recordViewer({ object, client: { viewer } }: Pick<Run, 'object' | 'client'>): void {
  if (object.status?.viewer) setStatus(object, { viewer });
}
