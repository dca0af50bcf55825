import type { Budget } from '../../../../../templates/gotemplate/index.ts';
import type { ChartFile } from '../../../../../templates/helm/index.ts';
import type { ManifestObject } from '../../model/manifest.ts';
import { objectsOf } from './manifest-objects.ts';

/** In the text, since other files of the folder need not be objects. */
const crd = /^ {0,8}["']?kind["']?: {0,8}["']?CustomResourceDefinition\b/m;

/**
 * The objects of all YAML files that have a CRD, each file once.
 *
 * @param isExcluded gets the path of a file
 * @param budget what all documents are charged to
 * @throws an error with file and line for a document that cannot be parsed
 */
export function crdObjects(
  files: readonly ChartFile[],
  isExcluded: (path: string) => boolean,
  budget: Budget,
): readonly ManifestObject[] {
  return files
    .filter(({ name }) => /\.ya?ml$/.test(name) && !isExcluded(name))
    .map(({ name, data }) => ({ name, text: new TextDecoder().decode(data) }))
    .filter(({ text }) => crd.test(text))
    .flatMap(({ name, text }) => objectsOf(text, name, 1, budget));
}
