const mark = 'Do not edit; run `make generate`.';

/** First lines of every generated file; `isGenerated` knows a file by them. */
export function generatedHeader(source: string, comment: '//' | '#' | '<!--'): string {
  const end = comment === '<!--' ? ' -->' : '';
  return `${comment} Generated from ${source} by hack/codegen. ${mark}${end}\n`;
}

export function isGenerated(text: string): boolean {
  return (text.split('\n', 1)[0] ?? '').includes(`by hack/codegen. ${mark}`);
}
