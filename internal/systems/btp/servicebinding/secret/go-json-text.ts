import { rawElements, rawMembers } from '../../../../framework/base/json/raw-json.ts';
import { compareText } from '../../../../templates/gotemplate/values/text.ts';
import { goJson } from '../../parameters/go-json.ts';

/**
 * A JSON text as Go's encoding/json writes its value: no white space, keys in the order of their bytes, escapes for the
 * characters that HTML reserves. Numbers stay as they are written, so that no digit is lost.
 *
 * @param text valid JSON of limited depth: each level is read once more
 */
export function goJsonText(text: string): string {
  switch (text.trimStart()[0]) {
    case '{':
      return `{${[...(rawMembers(text) ?? [])]
        .sort(([a], [b]) => compareText(a, b))
        .map(([name, value]) => `${goString(name)}:${goJsonText(value)}`)
        .join(',')}}`;
    case '[':
      return `[${rawElements(text).map(goJsonText).join(',')}]`;
    case '"':
      return goString(String(JSON.parse(text)));
    default:
      return text.trim();
  }
}

/** Go decodes half of a surrogate pair to U+FFFD. */
const goString = (text: string): string => goJson(text.toWellFormed());
