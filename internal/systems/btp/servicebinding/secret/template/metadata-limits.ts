/** Labels and annotations that the API server refuses, whose messages would quote values, or that have a meaning here. */

import { managedByLabel, prefix } from '../../../metadata.ts';

interface Marks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const MAX_NAME = 63;
const MAX_PREFIX = 253;
const MAX_ANNOTATION_BYTES = 256 * 1024;

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const PREFIX_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** The sentence about the first of them; undefined: there is none. It quotes keys, no values. */
export function metadataProblem({ labels, annotations }: Marks): string | undefined {
  for (const [field, marks] of Object.entries({ labels, annotations })) {
    const reserved = Object.keys(marks).find(isReserved);
    if (reserved !== undefined) {
      return `metadata.${field} has the key ${quoted(reserved)}; keys with ${prefix} are set by the operator only`;
    }
  }
  for (const [key, value] of Object.entries(labels)) {
    if (!isQualifiedName(key))
      return `metadata.labels has the key ${quoted(key)}, which is not a valid key of a label`;
    if (!isLabelValue(value)) {
      return `metadata.labels[${quoted(key)}] is not a valid value of a label: it has at most ${MAX_NAME} letters, digits, '-', '_' and '.', and begins and ends with a letter or digit`;
    }
  }
  const invalid = Object.keys(annotations).find((key) => !isQualifiedName(key.toLowerCase()));
  if (invalid !== undefined) {
    return `metadata.annotations has the key ${quoted(invalid)}, which is not a valid key of an annotation`;
  }
  const bytes = Object.entries(annotations)
    .flat()
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes > MAX_ANNOTATION_BYTES
    ? `metadata.annotations has ${bytes} bytes; the limit is ${MAX_ANNOTATION_BYTES} bytes`
    : undefined;
}

/** Of two writers that each restore their own value, none ends. The label of all Secrets has one value, whatever a template says. */
const isReserved = (key: string): boolean => key !== managedByLabel && key.toLowerCase().startsWith(prefix);

const isLabelValue = (value: string): boolean => value === '' || isName(value);

const isName = (text: string): boolean => text.length <= MAX_NAME && NAME.test(text);

/** A name, or a DNS subdomain, a slash and a name. */
function isQualifiedName(key: string): boolean {
  const parts = key.split('/');
  const name = parts.pop() ?? '';
  return isName(name) && parts.length <= 1 && parts.every(isSubdomain);
}

const isSubdomain = (text: string): boolean =>
  text.length <= MAX_PREFIX && text.split('.').every((label) => PREFIX_LABEL.test(label));

const quoted = (key: string): string => JSON.stringify(key);
