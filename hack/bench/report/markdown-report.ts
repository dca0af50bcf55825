import type { Figure, Profile } from '../measurement.ts';
import { isMet, number, quantity, ratio, verdict } from './format.ts';
import { commandOf, describeMachine, type Report, type Section } from './report.ts';

/** The report as docs/performance.md shows it. */
export function renderMarkdown(report: Report): string {
  const { version, machine, date, seconds, sections } = report;
  const missed = sections.flatMap(({ figures }) => figures).filter((figure) => isMet(figure) === false);
  const profiles = sections.flatMap((section) => section.profiles);
  return [
    '# Performance',
    '',
    'Written by `make bench`; do not edit. The provider is compared with a *plain program*, which sends the same requests in the same run',
    'with an HTTP client and nothing else: no cache, queue, retry, deadline, metric or log. Machines differ and are noisy, so the *ratio* means',
    'more than the times: the provider’s cost as a multiple of the plain program’s. Each measurement can be repeated alone with the command below its heading.',
    '',
    `- Version ${version}, ${date.slice(0, 10)}; the run took ${Math.round(seconds / 60)} min`,
    `- ${describeMachine(machine)}`,
    `- ${missed.length === 0 ? 'Every target is met' : `Targets missed: ${missed.map(describeFigure).join('; ')}`}`,
    '',
    ...table(
      ['', 'provider', 'plain', 'ratio', 'target'],
      ['---', '---:', '---:', '---:', '---'],
      sections.flatMap((section) => [
        [`**${section.title}** (\`--only ${section.name}\`)`, '', '', '', ''],
        ...rowsOf(section),
      ]),
    ),
    '',
    '## How it is measured',
    ...sections.flatMap(methodLines),
    ...(profiles.length === 0 ? [] : ['', '## Where the CPU time goes', ...profiles.flatMap(profileLines)]),
    '',
  ].join('\n');
}

/** Where bare requests are not enough either, the machine is what the target is missed by. */
function describeFigure({ name, plain, ...figure }: Figure): string {
  const isPlainLate = plain !== undefined && isMet({ ...figure, name, value: plain }) === false;
  return isPlainLate ? `${name} (the plain program misses it as well)` : name;
}

function rowsOf({ figures }: Section): string[][] {
  return figures.map((figure) => [
    figure.name,
    quantity(figure.value, figure.unit),
    figure.plain === undefined ? '' : quantity(figure.plain, figure.unit),
    ratio(figure),
    isMet(figure) === false ? `**${verdict(figure)}**` : verdict(figure),
  ]);
}

function methodLines(section: Section): string[] {
  const { title, method, notes } = section;
  return [
    '',
    `### ${title}`,
    '',
    `\`${commandOf(section)}\``,
    '',
    method,
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${note}`)]),
  ];
}

function profileLines({ title, functions, parts, busyMs }: Profile): string[] {
  const percent = (share: number) => `${number(share * 100)} %`;
  return [
    '',
    `### ${title}`,
    '',
    `Self time of the thread that runs JavaScript, of ${number(busyMs)} ms in which it was busy.`,
    '',
    ...table(
      ['share', 'part'],
      ['---:', '---'],
      parts.map(({ share, part }) => [percent(share), part]),
    ),
    '',
    ...table(
      ['share', 'function', 'where'],
      ['---:', '---', '---'],
      functions.map(({ share, name, place }) => [
        percent(share),
        `\`${name}\``,
        place === undefined ? '' : `${place.file}:${place.line}`,
      ]),
    ),
  ];
}

function table(
  header: readonly string[],
  rule: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [header, rule, ...rows].map(line);
}
