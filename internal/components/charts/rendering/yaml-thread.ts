/** The thread in which YAML is read: charts choose how much of it there is. */
import { type ErrorKind, ProviderError } from '../../../base/errors/errors.ts';
import { serveJobs } from '../../../process/index.ts';

export interface YamlText {
  /** The file, for messages. */
  readonly source: string;
  readonly text: string;
}

/** The objects of all texts, or the value of one. */
export type YamlJob =
  | { readonly read: 'objects'; readonly texts: readonly YamlText[] }
  | { readonly read: 'value'; readonly text: YamlText };

/** Values as JSON, which the event loop reads one by one. Errors lose their class on the way. */
export type YamlAnswer =
  | { readonly values: readonly { readonly source: string; readonly json: string }[] }
  | { readonly refused: { readonly message: string; readonly kind: ErrorKind } };

export const url = import.meta.url;

await serveJobs(url, async () => {
  const { boundedJson, VALUES_BOUNDS } = await import('./bounded-object.ts');
  const { objectsOf } = await import('./manifest-objects.ts');
  const { parseYamlText } = await import('./yaml-text.ts');
  const valuesOf = (job: YamlJob) => {
    if (job.read === 'value') {
      const { text, source } = job.text;
      return [{ source, json: boundedJson(parseYamlText(text, source) ?? null, source, VALUES_BOUNDS) }];
    }
    return job.texts
      .flatMap(({ text, source }) => objectsOf(text, source))
      .map(({ object, source }) => ({ source, json: boundedJson(object, source) }));
  };
  return (job: YamlJob): YamlAnswer => {
    try {
      return { values: valuesOf(job) };
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind === 'bug') throw error;
      return { refused: { message: error.message, kind: error.kind } };
    }
  };
});
