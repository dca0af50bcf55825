import { stringify } from 'yaml';
import { generatedHeader } from '../generated-header.ts';
import type { Json } from '../source/source.ts';

/** A generated file of Kubernetes objects. */
export function yamlDocuments(source: string, objects: readonly Json[]): string {
  const documents = objects.map(
    (object) => `---\n${stringify(object, { lineWidth: 110, aliasDuplicateObjects: false })}`,
  );
  return `${generatedHeader(source, '#')}${documents.join('')}`;
}
