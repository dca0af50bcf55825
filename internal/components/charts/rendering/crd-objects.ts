import { createBreather } from '../../../base/concurrency/breather.ts';
import { systemClock } from '../../../base/time/clock.ts';
import type { ChartFile } from '../../../helm/chart-renderer.ts';
import type { ChartOptions } from '../../model/charts.ts';
import type { Manifest } from '../../model/manifest.ts';
import { createYamlReader, type YamlReader } from './yaml-reader.ts';
import type { YamlText } from './yaml-thread.ts';

/** In the text, since other files of the folder need not be objects. */
const crd = /^ {0,8}["']?kind["']?: {0,8}["']?CustomResourceDefinition\b/m;

/**
 * The objects of all YAML files that have a CRD, each file once.
 *
 * @param exclude gets the path of a file
 * @param reader default: one of its own, whose thread ends when it is idle
 * @throws an error with file and line for a document that cannot be parsed
 */
export async function crdObjects(
  files: readonly ChartFile[],
  exclude: (path: string) => boolean,
  reader: Pick<YamlReader, 'objectsOf'> = createYamlReader({ clock: systemClock }),
  options: ChartOptions = { group: 'CRDs', signal: new AbortController().signal },
): Promise<Manifest> {
  const breathe = createBreather(systemClock);
  const texts: YamlText[] = [];
  for (const { name, data } of files) {
    if (!/\.ya?ml$/.test(name) || exclude(name)) continue;
    const text = new TextDecoder().decode(data);
    if (crd.test(text)) texts.push({ source: name, text });
    await breathe();
  }
  return await reader.objectsOf(texts, options);
}
