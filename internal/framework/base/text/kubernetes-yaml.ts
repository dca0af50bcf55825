/**
 * YAML as kubectl and other programs in Go read it: that of version 1.1, where dates and numbers of base 60 are texts. Version 1.2, which
 * the library reads and writes by default, takes `yes` for a text and `0644` for a decimal number.
 */
import {
  Document,
  type DocumentOptions,
  isScalar,
  type ParseOptions,
  parseAllDocuments,
  type SchemaOptions,
  type ToStringOptions,
  visit,
} from 'yaml';

const isTime = (tag: { readonly tag: string; readonly format?: string }) =>
  tag.tag === 'tag:yaml.org,2002:timestamp' || tag.format === 'TIME';

/** Options of the library for texts that are manifests. Merge keys are applied. */
const READING: SchemaOptions & DocumentOptions = {
  schema: 'yaml-1.1',
  merge: true,
  customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !isTime(tag)),
};

/** The documents of a text with manifests. Mistakes are in their `errors`, without a quotation. */
export const parseKubernetesYaml = (text: string, options: ParseOptions = {}) =>
  parseAllDocuments(text, {
    ...READING,
    ...options,
    logLevel: 'silent',
    // The texts of errors take quadratic time.
    prettyErrors: false,
  });

/** Plain, these are no texts for a reader of version 1.1: truth values, numbers, dates, merge keys. Version 1.2 has fewer. */
const NO_TEXT =
  /^(?:y|yes|n|no|on|off|<<|=|[-+]?0b[01_]+|[-+]?\d[\d_]*(?:\.[\d_]*)?(?:e[-+]?\d+)?|[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?|\d{4}-\d\d?-\d\d?(?:[t \t].*)?)$/i;

/**
 * The text of a value, which readers of both versions take for the same.
 *
 * @param needsQuotes of texts that have to be in double quotes as well. Default: none
 */
export function kubernetesYaml(
  value: unknown,
  options: ToStringOptions = {},
  needsQuotes: (text: string) => boolean = () => false,
): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      if (
        isScalar(node) &&
        typeof node.value === 'string' &&
        (NO_TEXT.test(node.value) || needsQuotes(node.value))
      )
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString(options);
}
