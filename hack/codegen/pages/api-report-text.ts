const fence = '```';

/** The output of API Extractor without its notes on itself and on missing comments. */
export function reportPage(entry: string, report: string): string {
  const from = report.indexOf(`${fence}ts\n`);
  const declarations = report
    .slice(from)
    .replace(/^ *\/\/ (?:@public )?\(undocumented\)\n/gm, '')
    .replace(/^\/\/ @public\n/gm, '')
    .replace(`${fence}ts\n\n`, `${fence}ts\n`);
  return `# ${entry}\n\n${declarations}`;
}

/** Those names that none of the pages declares, sorted. */
export function undeclared(names: ReadonlySet<string>, pages: Iterable<string>): string[] {
  const declaration = /^export (?:abstract )?(?:class|const|enum|function|interface|type) (\w+)/gm;
  const declared = new Set<string>();
  for (const page of pages) for (const [, name = ''] of page.matchAll(declaration)) declared.add(name);
  return [...names].filter((name) => !declared.has(name)).sort();
}
