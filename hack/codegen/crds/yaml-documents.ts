import { stringify } from 'yaml';
import type { Json } from '../source/source.ts';

/** The text of a file of Kubernetes objects. */
export function yamlDocuments(objects: readonly Json[]): string {
  return objects
    .map((object) => `---\n${stringify(object, { lineWidth: 110, aliasDuplicateObjects: false })}`)
    .join('');
}
