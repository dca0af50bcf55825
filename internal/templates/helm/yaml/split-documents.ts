/** The documents of a stream, as the reader of Kubernetes splits it: at lines that begin with `---` and end in white space. */
export function splitDocuments(text: string): string[] {
  const documents: string[] = [];
  let current: string[] = [];
  for (const line of text.split(/(?<=\n)/)) {
    if (line.startsWith('---') && line.slice(3).trim() === '') {
      if (current.length > 0) documents.push(current.join(''));
      current = [];
    } else current.push(line);
  }
  if (current.length > 0) documents.push(current.join(''));
  return documents;
}
