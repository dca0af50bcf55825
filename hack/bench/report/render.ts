import { table } from '../../../internal/framework/module/console/shown.ts';
import { type Chart, mergeCharts, type Scheme } from './chart.ts';
import { type Figure, isMet, number, quantity, ratio, verdict } from './figures.ts';
import type { Machine, Profile, Report, Section } from './report.ts';

/** The report as docs/performance.md shows it. */
export function renderMarkdown(report: Report): string {
  const { version, machine, date, seconds, sections } = report;
  const missed = sections.flatMap(({ figures }) => figures).filter((figure) => isMet(figure) === false);
  const profiles = sections.flatMap((section) => section.profiles);
  const charts = chartsOf(report);
  const bold = (figure: Figure) => (isMet(figure) === false ? '**' : '');
  return [
    '# Performance',
    '',
    'Written by `make bench`; do not edit. The provider is compared with a *plain program*, which sends the same requests in the same run',
    'with an HTTP client and nothing else: no cache, queue, retry, deadline, metric or log. Machines differ and are noisy, so the *ratio* means',
    'more than the times: the provider’s cost as a multiple of the plain program’s. Each measurement can be repeated alone with the command below its heading.',
    '',
    `- Version ${version}, ${date.slice(0, 10)}; the run took ${Math.round(seconds / 60)} min`,
    `- ${describeMachine(machine)}`,
    `- ${missed.length === 0 ? 'Every target is met' : `Targets missed: ${missed.map(describeMiss).join('; ')}`}`,
    // By hand, so that this page can be written anew.
    '- What the figures are made of, why targets are missed, and what was tried: [performance-notes.md](performance-notes.md)',
    '',
    ...charts.flatMap((chart) => [...chartLines(chart), '']),
    ...markdownTable(
      FIGURES,
      ['---', '---:', '---:', '---:', '---'],
      sections.flatMap(({ title, name, figures }) => [
        [`**${title}** (\`--only ${name}\`)`, '', '', '', ''],
        ...figures.map((figure) => rowOf(figure, bold(figure))),
      ]),
    ),
    '',
    '## How it is measured',
    ...sections.flatMap((section) => [
      ...['', `### ${section.title}`, '', `\`${commandOf(section)}\``, '', section.method],
      ...(section.notes.length === 0 ? [] : ['', ...section.notes.map((note) => `- ${note}`)]),
    ]),
    ...(profiles.length === 0
      ? []
      : ['', '## Where the CPU time goes', '', ...partTable(profiles), ...profiles.flatMap(profileLines)]),
    '',
  ].join('\n');
}

/** The folder of the charts, beside the page. */
export const CHARTS = 'charts';

/** From the folder of the page. */
export const chartFile = ({ name }: Chart, scheme: Scheme): string => `${CHARTS}/${name}.${scheme}.svg`;

export const chartsOf = ({ sections }: Report): Chart[] =>
  mergeCharts(sections.flatMap(({ charts }) => charts));

const chartLines = (chart: Chart): string[] => [
  '<picture>',
  `  <source media="(prefers-color-scheme: dark)" srcset="${chartFile(chart, 'dark')}">`,
  `  <img alt="${chart.title}" src="${chartFile(chart, 'light')}">`,
  '</picture>',
];

/** The report for a terminal. */
export function renderText({ version, machine, date, seconds, sections }: Report): string {
  const rows = sections.flatMap(({ figures }) => figures.map((figure) => rowOf(figure)));
  const plainRows = rows.map(([name = '', ...cells]) => [name.replaceAll('`', ''), ...cells]);
  const [header = '', ...lines] = table(FIGURES, plainRows).split('\n');
  const start = [`provider-kyma ${version}, ${date}, ${Math.round(seconds)} s`, describeMachine(machine)];
  const parts = sections.flatMap((section) => [
    ...['', `${section.title} (${commandOf(section)})`],
    ...lines.splice(0, section.figures.length),
    ...section.notes.map((note) => `- ${note}`),
    ...section.profiles.flatMap((profile) => [
      ...['', `${profile.title}: self time, of ${number(profile.busyMs)} ms busy`],
      ...table(FUNCTIONS, functionRows(profile)).trimEnd().split('\n'),
      ...table(PARTS, partRows(profile)).trimEnd().split('\n'),
    ]),
  ]);
  return [...start, '', header, ...parts, ''].join('\n');
}

const FIGURES = ['', 'provider', 'plain', 'ratio', 'target'];
const rowOf = (figure: Figure, emphasis = ''): string[] => [
  figure.name,
  quantity(figure.value, figure.unit),
  figure.plain === undefined ? '' : quantity(figure.plain, figure.unit),
  ratio(figure),
  `${emphasis}${verdict(figure)}${emphasis}`,
];

const percent = (share: number): string => `${number(share * 100)} %`;
const PARTS = ['share', 'part'];
const partRows = ({ parts }: Profile) => parts.map(({ share, part }) => [percent(share), part]);
const FUNCTIONS = ['share', 'function', 'where'];
const functionRows = ({ functions }: Profile, quote = '') =>
  functions.map(({ share, name, place }) => [
    percent(share),
    `${quote}${name}${quote}`,
    place === undefined ? '' : `${place.file}:${place.line}`,
  ]);

/** Smaller parts of all profiles are added up. */
const SMALL_SHARE = 0.01;

/** The parts as rows and the profiles as columns, the part with the largest share first. */
function partTable(profiles: readonly Profile[]): string[] {
  const shareOf = ({ parts }: Profile, part: string) => parts.find((each) => each.part === part)?.share ?? 0;
  const largest = (part: string) => Math.max(...profiles.map((profile) => shareOf(profile, part)));
  const all = new Set(profiles.flatMap(({ parts }) => parts.map(({ part }) => part)));
  const shown = [...all].filter((part) => largest(part) >= SMALL_SHARE);
  shown.sort((a, b) => largest(b) - largest(a));
  const rest = (profile: Profile) => shown.reduce((left, part) => left - shareOf(profile, part), 1);
  const rowOf = (name: string, share: (profile: Profile) => number) => [
    name,
    ...profiles.map((profile) => `${(100 * Math.max(0, share(profile))).toFixed(1)} %`),
  ];
  return markdownTable(
    ['part', ...profiles.map(({ title }) => title)],
    ['---', ...profiles.map(() => '---:')],
    [...shown.map((part) => rowOf(part, (profile) => shareOf(profile, part))), rowOf('smaller parts', rest)],
  );
}

function profileLines(profile: Profile): string[] {
  const { title, busyMs } = profile;
  return [
    ...['', `### ${title}`, ''],
    `Self time of the thread that runs JavaScript, of ${number(busyMs)} ms in which it was busy.`,
    '',
    ...markdownTable(FUNCTIONS, ['---:', '---', '---'], functionRows(profile, '`')),
  ];
}

function markdownTable(header: readonly string[], rule: readonly string[], rows: readonly string[][]) {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [header, rule, ...rows].map(line);
}

/** A target that bare requests miss as well is missed because of the machine. */
function describeMiss(figure: Figure): string {
  const { name, plain } = figure;
  const isPlainLate = plain !== undefined && isMet({ ...figure, value: plain }) === false;
  return isPlainLate ? `${name} (the plain program misses it as well)` : name;
}

/** `EPYC, 2 cores, 24 GiB, linux x64, Node v24.21.0; load 0.3 before the run` */
function describeMachine({ cores, model, memoryGiB, platform, node, loadBefore }: Machine): string {
  const load = `load ${loadBefore.toFixed(1)} before the run`;
  return `${model}, ${cores} core${cores === 1 ? '' : 's'}, ${memoryGiB} GiB, ${platform}, Node ${node}; ${load}`;
}

/** The command that repeats one measurement. */
const commandOf = ({ name }: Section): string => `npm run bench -- --only ${name}`;
