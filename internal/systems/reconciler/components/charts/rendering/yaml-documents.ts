/** A document of a file of YAML, with the line where it begins. */
export interface YamlDocumentText {
  readonly text: string;
  readonly line: number;
}

/** Begins a document: `---` at the start of a line, with nothing but a comment or a value after it. */
const separator = /^---(?:$|\s)/;
/** Ends a document. What follows is another one. */
const end = /^\.\.\.(?:$|\s)/;

/** The documents of a text; those with nothing but blank lines and comments are left out. */
export function splitYaml(text: string): readonly YamlDocumentText[] {
  const documents: YamlDocumentText[] = [];
  let lines: string[] = [];
  let first = 1;
  /** @param last the line break before what follows; a block scalar keeps it */
  const close = (last: string) => {
    if (lines.some((line) => /^\s*[^\s#]/.test(line)))
      documents.push({ text: lines.join('\n') + last, line: first });
    lines = [];
  };
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const begins = separator.test(line);
    if (begins || end.test(line)) {
      close('\n');
      // A value may follow on the same line: `--- {a: 1}`.
      first = index + 1;
      lines = [begins ? `   ${line.slice(3)}` : ''];
    } else {
      lines.push(line);
    }
  }
  close('');
  return documents;
}
